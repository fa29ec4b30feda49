#!/usr/bin/env bash
# test_lab.py, skipped (77) where there is no Python. ctest sets COMMAND, BUILD and SANITIZED.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
python=$(command -v python3) || { echo 'no python3'; exit 77; }
SOURCE=$PWD PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 exec "$python" tests/lab/test_lab.py "$@"
