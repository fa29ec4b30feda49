#!/usr/bin/env bash
# Kills a sweep again and again, resumes it each time, and compares its results with those of an undisturbed run, bit by bit (by the
# program $SAME, if that is set; tests/tools/same_results.c is its source; numbers in CSV files have all their bits too).
#
#     kill_sweep.sh COMMAND STUDY KILLS FOLDER [LAUNCHER...]
#
# LAUNCHER, such as `mpirun -np 2`, is put before the disturbed runs; a rank or the launcher itself is killed then, whichever chance
# picks. ONE_RANK=1 kills only ranks. Prints how many files with points the last run found.
set -euo pipefail
command=$1 study=$2 kills=$3 folder=$4
shift 4
clean=$folder/undisturbed disturbed=$folder/disturbed
rm -rf "$clean" "$disturbed" "$folder/launched"
mkdir -p "$folder"
RANDOM=${SEED:-$$}

milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# How long it lasts undisturbed, with the time that the launcher takes.
begin=$(milliseconds)
"$command" run "$study" --out "$clean" >"$folder/undisturbed.log" 2>&1
if [ "$#" -gt 0 ]; then
    begin=$(milliseconds)
    "$@" "$command" run "$study" --out "$folder/launched" >"$folder/launched.log" 2>&1 || {
        cat "$folder/launched.log"
        exit 1
    }
fi
lasted=$(($(milliseconds) - begin))

# Every process below one, itself first.
family() {
    local child
    echo "$1"
    for child in $(pgrep -P "$1" || true); do
        family "$child"
    done
}

# Ends what is left of a run: a launcher that was killed may leave ranks behind that do not know it yet.
end_all() {
    local id
    for id in "$@"; do
        kill -9 "$id" 2>/dev/null || true
        while kill -0 "$id" 2>/dev/null && [ "$(sed 's/.*) \(.\).*/\1/' "/proc/$id/stat" 2>/dev/null || echo Z)" != Z ]; do
            sleep 0.01
        done
    done
}

parts() { find "$disturbed/sweep-parts" -name 'part-*.nc' 2>/dev/null | wc -l; }

exec 3>&2 2>"$folder/killed.log" # where the shell tells of each kill
killed=0 attempts=0
while [ "$killed" -lt "$kills" ] || [ "$(parts)" -eq 0 ]; do
    attempts=$((attempts + 1))
    [ "$attempts" -le $((20 * kills)) ] || {
        echo "the sweep ends too soon to be killed, or keeps nothing: it lasts $lasted ms" >&3
        exit 1
    }
    "$@" "$command" run "$study" --out "$disturbed" >"$folder/disturbed.log" 2>&1 &
    started=$!
    moment=$((RANDOM * lasted / 40000))
    sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
    mapfile -t members < <(family "$started")
    ranks=()
    for id in "${members[@]}"; do
        [ "$(readlink "/proc/$id/exe" 2>/dev/null)" = "$(readlink -f "$command")" ] && ranks+=("$id")
    done
    victims=("${members[@]}")
    [ -n "${ONE_RANK:-}" ] && [ "${#ranks[@]}" -gt 0 ] && victims=("${ranks[@]}")
    if kill -9 "${victims[RANDOM % ${#victims[@]}]}" 2>/dev/null; then
        killed=$((killed + 1))
    fi
    [ -n "${ONE_RANK:-}" ] || end_all "${members[@]}"
    wait "$started" || true
    end_all "${members[@]}"
    if [ -f "$disturbed/summary.json" ]; then # it was faster: begin anew
        rm -rf "$disturbed"
    fi
done
exec 2>&3
found=$(parts)
"$@" "$command" run "$study" --out "$disturbed" >"$folder/disturbed.log" 2>&1 || {
    cat "$folder/disturbed.log"
    exit 1
}
[ -z "${SAME:-}" ] || "$SAME" "$clean/results.nc" "$disturbed/results.nc"
cmp "$clean/sweep.csv" "$disturbed/sweep.csv"
[ ! -e "$disturbed/sweep-parts" ] || {
    echo 'files with points are left behind'
    exit 1
}
echo "$killed kills in $attempts runs; $found files with points were there at last; identical results"
