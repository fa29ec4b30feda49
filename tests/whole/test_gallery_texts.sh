#!/usr/bin/env bash
# Every study of the gallery says what it is about and what became of its source's claim, and every folder what it stands for.
set -uo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../../gallery" || exit 1
bad=$({
    grep -LE '^topic: [a-z]' -- */*.yaml
    grep -LE '^verdict: (held|partly|refuted|new)$' -- */*.yaml
    for folder in */; do [ -s "$folder/group.txt" ] || echo "$folder: group.txt"; done
})
[ -z "$bad" ] || {
    printf '%s\n' "$bad" 'topic, verdict or group.txt is missing'
    exit 1
}
echo 'every study has a topic and a verdict'
