#!/usr/bin/env bash
# The study in README.md, copied as a newcomer would, checks, runs and meets its expectations. ctest sets COMMAND and BUILD.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
scratch="$BUILD/readme test"
rm -rf "$scratch"
mkdir -p "$scratch"
awk '/^```yaml$/ {inside = 1; next} /^```$/ {if (inside) exit} inside' README.md >"$scratch/belt.yaml"
[ -s "$scratch/belt.yaml" ] || {
    echo 'README.md holds no study'
    exit 1
}
grep -q '^expect:' "$scratch/belt.yaml"
cd "$scratch"
"$COMMAND" check belt.yaml
"$COMMAND" run belt.yaml --out belt
[ -s belt/summary.json ]
"$COMMAND" run belt.yaml --set model.contacts.0.friction=0.4 --json >changed.json || [ $? -eq 1 ] # its expectations may fail now
[ -s changed.json ]
