#!/usr/bin/env bash
# The Python library of the source tree with the C library of this build. ctest sets COMMAND and LIBRARY; skipped (77) where no
# Python has cffi and NumPy.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
for python in python3 /usr/bin/python3; do
    "$python" -c 'import cffi, numpy' 2>/dev/null || continue
    PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1 AMONTONS_LIBRARY="$LIBRARY" AMONTONS_COMMAND="$COMMAND" \
        exec "$python" tests/python/test_python.py
done
echo 'no python3 with cffi and NumPy (Debian: python3-cffi, python3-numpy)'
exit 77
