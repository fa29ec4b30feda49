#!/usr/bin/env bash
# What `./bootstrap docs` makes pages of: every page is there, tables of the program are in it, and every link leads to a page. Where
# mkdocs is, the site itself is looked at in a browser (look_at_site.py). ctest sets COMMAND, LIBRARY and BUILD.
set -euo pipefail
command -v python3 >/dev/null || exit 77
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
site="$BUILD/site test"
only=--sources-only
if command -v mkdocs >/dev/null && [ -f "${KATEX:-/usr/share/javascript/katex}/katex.min.js" ]; then only=; fi
python3 docs/make_site.py "$COMMAND" "$LIBRARY" "$site" $only
cd "$site/source"
grep -q '^| `friction` | number |  | required |' reference/models.md # of klarbring
grep -q '^| `energy_residual` |' reference/quantities.md
grep -q 'am_study_description' reference/c.md
broken=$(while IFS=: read -r page link; do
    target=${link#](}
    target=${target%)}
    case "$target" in http* | mailto:* | '#'*) continue ;; esac
    [ -e "$(dirname "$page")/${target%%#*}" ] || echo "$page: the link to $target leads nowhere"
done < <(grep -roE --include='*.md' '\]\([^) ]+\)' .))
[ -z "$broken" ] || {
    echo "$broken"
    exit 1
}
missing=$(for page in *.md reference/*.md; do grep -qF ": $page" ../mkdocs.yml || echo "$page is not in the navigation"; done)
[ -z "$missing" ] || {
    echo "$missing"
    exit 1
}
[ "$only" ] || PYTHONDONTWRITEBYTECODE=1 exec python3 "$OLDPWD/tests/whole/look_at_site.py" "$site/site" "$site/looked at"
