#!/usr/bin/env bash
# The project speaks of itself alone: no folder of the machine it was written on in sources, studies and documents.
set -uo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1

found=$(grep -rnIE '(^|[^[:alnum:]_.~/}-])/(work|root|tmp|home|Users)(/|[^[:alnum:]_/-]|$)' \
    src include docs gallery examples debian cmake CMakeLists.txt CMakePresets.json README.md CONTRIBUTING.md CHANGELOG.md)
case $? in
    0)
        printf '%s\n' "$found" 'absolute paths of one machine do not belong here'
        exit 1
        ;;
    1) echo 'no machine paths' ;;
    *) exit 1 ;;
esac
