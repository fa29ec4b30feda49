#!/usr/bin/env bash
# The gallery's pages in a real browser (look_at_pages.py); skipped where there is no chromium. ctest sets COMMAND, BUILD.
set -euo pipefail
command -v python3 >/dev/null || exit 77
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
scratch="$BUILD/pages test"
rm -rf "$scratch"
mkdir -p "$scratch"
AMONTONS_GALLERY=gallery "$COMMAND" gallery klarbring/fig2a klarbring/fig4b klarbring/fig7 --out "$scratch/gallery"
PYTHONDONTWRITEBYTECODE=1 python3 tests/whole/look_at_pages.py "$scratch/gallery" "$scratch/looked at"
