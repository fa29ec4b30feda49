#!/usr/bin/env bash
# Every link between the documents leads to a file of this repository, and every source file that they name is there.
set -uo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
broken=0
checked=0
sources=$(find ./src ./include ./tests ./bench ./examples -type f -printf "%p \n")
while IFS= read -r document; do
    while IFS= read -r target; do
        case "$target" in
            http://* | https://* | mailto:* | '#'*) continue ;;
        esac
        checked=$((checked + 1))
        if [ ! -e "$(dirname "$document")/${target%%#*}" ]; then
            echo "$document: the link to $target leads nowhere"
            broken=$((broken + 1))
        fi
    done < <(grep -oE '\]\([^) ]+\)' "$document" | sed -E 's/^\]\((.*)\)$/\1/')
    while IFS= read -r source; do
        checked=$((checked + 1))
        grep -qF "/$source " <<<"$sources" || {
            echo "$document: there is no $source"
            broken=$((broken + 1))
        }
    done < <(grep -oE '`[a-z_0-9/]+\.(c|h|sh)`' "$document" | tr -d '`' | sort -u)
done < <(find . -path ./build -prune -o -path ./gallery-out -prune -o -name '*.md' -print | sort)
[ "$checked" -gt 0 ] || {
    echo 'no links found: is this the right folder?'
    exit 1
}
[ "$broken" -eq 0 ] && echo "$checked links lead somewhere"
