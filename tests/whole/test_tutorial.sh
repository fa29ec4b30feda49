#!/usr/bin/env bash
# Every study of docs/tutorial.md, copied as a newcomer would, checks, runs and meets its expectations. ctest sets COMMAND and BUILD.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
scratch="$BUILD/tutorial test"
rm -rf "$scratch"
mkdir -p "$scratch"
awk -v folder="$scratch" '/^```yaml$/ {inside = 1; count++; next} /^```$/ {inside = 0} inside {print > (folder "/" count ".yaml")}' docs/tutorial.md
[ "$(find "$scratch" -name '*.yaml' | wc -l)" -ge 8 ] || {
    echo 'docs/tutorial.md holds fewer studies than it has steps'
    exit 1
}
for study in "$scratch"/*.yaml; do
    grep -q '^expect:' "$study"
    "$COMMAND" check "$study"
    "$COMMAND" run "$study" --json >"$study.json" || {
        echo "$study does not do what the tutorial says"
        exit 1
    }
done
