#!/usr/bin/env bash
# The same bits: whatever the number of threads, of processes, of processors that may be used, and of threads the environment wants
# for linear algebra; and for small structures whatever the kernel of the BLAS. Of larger ones counts, words and verdicts are the same.
# Called by ctest, which sets COMMAND, BUILD and MPI (ON: the command was built with it).
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
root=$PWD
scratch=$BUILD/bits-test
rm -rf "$scratch"
mkdir -p "$scratch"
unset OPENBLAS_NUM_THREADS OPENBLAS_CORETYPE OMP_NUM_THREADS

fail() {
    echo "$*"
    exit 1
}

# results OUT PREFIX... -- ARGUMENTS...: the results of a run, without what is of this run alone (its time, where it was written).
results() {
    local out=$1 prefix=()
    shift
    while [ "$1" != -- ]; do prefix+=("$1"); shift; done
    shift
    "${prefix[@]}" "$COMMAND" run "$@" --json >"$out.json" 2>"$out.err" || [ $? -eq 1 ] || fail "$*: $(cat "$out.err")"
    # `summary` and `tables` of the document, one value a line; provenance and seconds are of the run
    sed -n '/^\t"summary":/,/^\t}/p; /^\t"tables":/,/^\t}/p' "$out.json" >"$out"
    [ -s "$out" ] || fail "$*: no results"
}

# ---- threads, processors, environment ----
for study in blocks/fig3_12_base oscillator/fig7_7b; do
    file=$root/gallery/$study.yaml
    one=$scratch/one
    results "$one" env OPENBLAS_NUM_THREADS=1 -- "$file" --threads 1
    for variant in "--threads 1" "--threads 2" "--threads 4"; do
        # shellcheck disable=SC2086
        results "$scratch/other" env OPENBLAS_NUM_THREADS=4 -- "$file" $variant
        cmp "$one" "$scratch/other" || fail "$study: $variant with four threads of the BLAS gives other bits"
    done
    if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
        results "$scratch/other" taskset -c 0 -- "$file"
        cmp "$one" "$scratch/other" || fail "$study: one processor gives other bits"
    fi
    if [ "$MPI" = ON ] && command -v mpirun >/dev/null; then
        results "$scratch/other" env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 -- "$file"
        cmp "$one" "$scratch/other" || fail "$study: two processes give other bits"
    fi
done

# ---- kernels ----
has() { grep -qw -- "$1" /proc/cpuinfo 2>/dev/null; }
kernels=()
has ssse3 && kernels+=(PRESCOTT)
has sse4_2 && kernels+=(NEHALEM)
has avx && kernels+=(SANDYBRIDGE)
has avx2 && kernels+=(HASWELL)
if [ "${#kernels[@]}" -lt 2 ]; then
    exit 0
fi
for study in modecoupling/fig11a klarbring/fig4b oscillator/fig7_3h; do
    for kernel in "${kernels[@]}"; do
        results "$scratch/$kernel" env OPENBLAS_CORETYPE="$kernel" -- "$root/gallery/$study.yaml" --threads 1
        cmp "$scratch/${kernels[0]}" "$scratch/$kernel" || fail "$study: ${kernels[0]} and $kernel give other bits"
    done
done
if ! command -v python3 >/dev/null; then
    echo 'python3 is not installed: larger structures were not compared'
    exit 0
fi
# Of the larger ones everything but the last digits of numbers: counts, words, flags, rows, and to 1e-5 the numbers.
python3 tests/kernels --command "$COMMAND" --home "$scratch/kernels" --kernels "$(IFS=,; echo "${kernels[*]}")" \
    bladed-disc/superharmonic rod/ten_elements chain/fig9_4 modecoupling/squeal_threshold || fail "a kernel makes a difference"
