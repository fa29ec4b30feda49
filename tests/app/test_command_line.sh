#!/usr/bin/env bash
# test_command_line.py with a Python that has its modules; skipped (77) where there is none. ctest sets COMMAND, BUILD and SANITIZED.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
for python in python3 /usr/bin/python3; do
    "$python" -c 'import jsonschema, yaml' 2>/dev/null || continue
    SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 exec "$python" tests/app/test_command_line.py
done
echo 'no python3 with jsonschema and yaml (Debian: python3-jsonschema, python3-yaml)'
exit 77
