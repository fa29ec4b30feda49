#!/usr/bin/env bash
# The lab's page in a real browser (lab_page.py); skipped where there is no chromium, or the command has no lab.
# ctest sets COMMAND, BUILD.
set -euo pipefail
command -v python3 >/dev/null || exit 77
"$COMMAND" lab --help >/dev/null 2>&1 || exit 77
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
PYTHONDONTWRITEBYTECODE=1 timeout 600 python3 tests/lab/lab_page.py "$COMMAND" "$BUILD/lab page"
