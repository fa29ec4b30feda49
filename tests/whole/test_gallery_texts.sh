#!/usr/bin/env bash
# Every study of the gallery says what it is about and what became of its source's claim, and every folder what it stands for.
set -uo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../../gallery" || exit 1
bad=$({
    grep -LE '^topic: [a-z]' -- */*.yaml
    grep -LE '^verdict: (held|partly|refuted|new)$' -- */*.yaml
    # Beside curves with a label one without is a riddle; label: '' says that the key has it already.
    awk 'function look() { if (with && without) print file ": a curve without a label"; with = without = 0 }
         /^figure:|^ *(- )?curves:/ || FNR == 1 { look(); file = FILENAME }
         /^ *- \{.*[xy]: / { if (/label: |by: /) with++; else without++ }
         /^[a-z]/ && !/^figure:/ { look() }
         END { look() }' */*.yaml
    # What the search takes for a word of a trade is said by the title or the topic of one study at least.
    sed -n "s/^ *\['[a-z ]*', '\([a-z ]*\)'\],\{0,1\}$/\1/p" ../src/output/gallery.js | {
        while read -r words; do
            found=$(grep -hE '^(title|topic): ' -- */*.yaml | tr '[:upper:]' '[:lower:]')
            for word in $words; do found=$(grep -F -- "$word" <<< "$found"); done
            [ -n "$found" ] || echo "gallery.js: no study has the words '$words'"
            rows=$((${rows:-0} + 1))
        done
        [ "${rows:-0}" -gt 9 ] || echo 'gallery.js: the words of the trades are not where they were'
    }
    for folder in */; do [ -s "$folder/group.txt" ] || echo "$folder: group.txt"; done
})
[ -z "$bad" ] || {
    printf '%s\n' "$bad" 'topic, verdict, group.txt or a label is missing'
    exit 1
}
echo 'every study has a topic and a verdict, and its curves have labels'
