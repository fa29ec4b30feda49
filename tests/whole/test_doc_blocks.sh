#!/usr/bin/env bash
# doc_blocks.py with a Python that has its modules; skipped (77) where there is none. ctest sets COMMAND, LIBRARY, BUILD and CC.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
for python in python3 /usr/bin/python3; do
    "$python" -c 'import cffi, jsonschema, numpy, pandas, yaml' 2>/dev/null || continue
    PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 exec "$python" tests/whole/doc_blocks.py
done
echo 'no python3 with cffi, jsonschema, NumPy, pandas and yaml (Debian: python3-cffi, python3-jsonschema, python3-numpy, ...)'
exit 77
