#!/usr/bin/env bash
# All C sources are as clang-format (version 14, that of Debian 12; others differ in detail) would write them.
set -uo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
wanted=14

formatter=''
for candidate in "clang-format-$wanted" clang-format; do
    if command -v "$candidate" >/dev/null 2>&1 && "$candidate" --version | grep -qE "version $wanted\."; then
        formatter=$candidate
        break
    fi
done
if [ -z "$formatter" ]; then
    echo "clang-format $wanted is not installed: the format was not checked"
    exit 77
fi

find src include tests examples -name '*.[ch]' -print0 | sort -z | xargs -0 "$formatter" --dry-run -Werror || {
    echo "to mend it: $formatter -i FILE..."
    exit 1
}
