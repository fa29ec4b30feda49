#!/usr/bin/env bash
# Sweeps as a user meets them: killed and resumed, shared by MPI ranks, refused. Called by ctest, which sets COMMAND, SAME (compares results), BUILD, MPI
# (ON: the command was built with it) and SANITIZED (non-empty: under a sanitizer, which MPI's module cannot bear).
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")"
here=$PWD
scratch=$BUILD/sweep-command-test
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
export OPENBLAS_NUM_THREADS=1

fail() {
    echo "$*"
    exit 1
}
# refused STATUS WORDS ARGUMENTS...: the command ends with this status and says these words.
refused() {
    local wanted=$1 words=$2 got=0
    shift 2
    "$COMMAND" "$@" >said 2>complained || got=$?
    [ "$got" -eq "$wanted" ] || fail "amontons $*: status $got, not $wanted: $(cat complained)"
    grep -qF -- "$words" complained || fail "amontons $*: says '$(cat complained)', not '$words'"
}

study() { # study NAME FRICTIONS RATES
    cat >"$1.yaml" <<TEXT
model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}
analysis: {kind: motion, until: 38, max_events: 9}
sweep:
  axes:
    model.friction: {from: 0.05, to: 0.95, count: $2}
    model.load_rate.1: {from: -1, to: -0.7, count: $3}
TEXT
}

# ---- kill -9 ----
if [ -z "$SANITIZED" ]; then study killed 120 130; else study killed 40 80; fi
bash "$here/../tools/kill_sweep.sh" "$COMMAND" killed.yaml 3 killed
study other 4 5

# ---- what else lies in the folder ----
rm -rf here
cp -r killed/undisturbed here
refused 2 'holds the results of killed.yaml' run other.yaml --out here
grep -qF -- --force complained || fail 'it does not offer --force'
cmp here/results.nc killed/undisturbed/results.nc # untouched, byte by byte
"$COMMAND" run other.yaml --out here --force >said
"$COMMAND" run other.yaml --out fresh >said
"$SAME" here/results.nc fresh/results.nc

# ---- what cannot be swept ----
cat >axis.yaml <<'TEXT'
model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}
analysis: {kind: motion, until: 38}
sweep: {axes: {model.frictoin: [0.1, 0.2]}}
TEXT
refused 2 "axis.yaml:3:" run axis.yaml --out nowhere
grep -qF "did you mean 'friction'" complained || fail "no suggestion: $(cat complained)"
sed -i 's/model.frictoin/model.kind/' axis.yaml
refused 2 'axis.yaml:3:' run axis.yaml --out nowhere
sed -i 's/model.kind: /title: /' axis.yaml
refused 2 "axis.yaml:3:16: 'title' cannot be swept" run axis.yaml --out nowhere
[ ! -e nowhere ] || fail 'a refused sweep made its folder'

# ---- 1e12 points ----
study huge 1000000 1000000
begin=$(date +%s)
refused 2 'the sweep has 1e+12 points: about' run huge.yaml --out nowhere
[ $(($(date +%s) - begin)) -le 5 ] || fail 'it took long to refuse 1e12 points'
grep -qF 'GB of results' complained || fail "it does not say what it would cost: $(cat complained)"

# ---- several processes ----
# One of several, but without MPI (the command stands alone in a folder): each would write the same files.
mkdir alone
cp "$COMMAND" alone/amontons
got=0
OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 alone/amontons run other.yaml --out nowhere >said 2>complained || got=$?
[ "$got" -eq 2 ] || fail "without MPI: status $got"
grep -qF 'one of several of an MPI job, but MPI cannot be used' complained || fail "without MPI: $(cat complained)"
[ ! -e nowhere ] || fail 'without MPI: it ran all the same'
OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0 alone/amontons run other.yaml --out one >said # one alone needs no MPI
"$SAME" one/results.nc fresh/results.nc
rm -r alone

if [ "$MPI" != ON ] || [ -n "$SANITIZED" ] || ! command -v mpirun >/dev/null; then
    echo 'killed, resumed and refused as it should be; MPI was not asked'
    exit 0
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
mpirun -np 1 true 2>/dev/null || {
    echo 'killed, resumed and refused as it should be; mpirun does not run here'
    exit 0
}
for ranks in 1 2 4; do
    mpirun -np "$ranks" "$COMMAND" run killed.yaml --out "ranks$ranks" --threads 1 >said 2>complained || fail "$(cat complained)"
    "$SAME" "ranks$ranks/results.nc" killed/undisturbed/results.nc
    cmp "ranks$ranks/sweep.csv" killed/undisturbed/sweep.csv
    [ "$(grep -c 'written to' said)" -eq 1 ] || fail "not one member tells: $(cat said)"
    [ ! -e "ranks$ranks/sweep-parts" ] || fail 'files with points are left behind'
done
mpirun -np 2 "$COMMAND" run other.yaml --json --out json >said
[ "$(grep -c '"summary"' said)" -eq 1 ] || fail 'not one JSON document'
"$COMMAND" run other.yaml --json | grep -v '"seconds"' >alone.json
mpirun -np 2 "$COMMAND" run other.yaml --json | grep -v '"seconds"' >shared.json
cmp alone.json shared.json
ONE_RANK=1 bash "$here/../tools/kill_sweep.sh" "$COMMAND" killed.yaml 1 rank mpirun -np 2 # one rank dies: the others end, too
got=0
mpirun -np 2 "$COMMAND" run other.yaml --out ranks2 >said 2>complained || got=$?
[ "$got" -ne 0 ] || fail 'results of another study were written over'
[ "$(grep -cF 'holds the results of killed.yaml' complained)" -eq 1 ] || fail "ranks say: $(cat complained)"
echo 'killed, resumed, refused and shared as it should be'
