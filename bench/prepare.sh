# Sourced by the scripts in this folder: installs the peers, finds the library, builds the drivers into build/bench.
# Sets: root, tools (folder of the programs).

root=$(cd "$(dirname "$0")/.." && pwd)
library=${AMONTONS_BUILD:-$root/build/release}
tools=$root/build/bench
packages="gcc g++ pkg-config python3 python3-cffi python3-scipy libsundials-dev python3-siconos libsiconos-numerics-dev valgrind auto-07p gfortran calculix-ccx gnuplot-nox cmake ninja-build"

say() { printf '%s\n' "$*" >&2; }

install_missing() {
    missing=
    for package in "$@"; do
        case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) in
        ii*) ;;
        *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0
    say "installing$missing"
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    # shellcheck disable=SC2086 # a list of words
    if ! $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >&2; then
        $sudo apt-get update >&2 || true
        # shellcheck disable=SC2086
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >&2 ||
            say "some of them could not be installed; their rows will be missing"
    fi
}

# build NAME COMPILER ARGUMENTS...: a driver that cannot be built is left out, and said so.
build() {
    name=$1
    shift
    rm -f "$tools/$name"
    "$@" -o "$tools/$name" 2>"$tools/$name.log" || say "$name was not built; see build/bench/$name.log"
}

build_drivers() {
    mkdir -p "$tools"
    if [ ! -f "$library/libamontons.a" ]; then
        say "$library/libamontons.a is not there; run ./bootstrap build first"
        exit 2
    fi
    # some drivers include headers of the library's inside, which must be those it was built with
    if [ -n "$(find "$root/src" "$root/include" -name '*.h' -newer "$library/libamontons.a" -print -quit)" ]; then
        say "$library/libamontons.a is older than its headers; run ./bootstrap build first"
        exit 2
    fi
    warnings="-Wall -Wextra -Wshadow -Wmissing-prototypes"
    c="gcc -O2 -std=c17 -D_POSIX_C_SOURCE=200809L $warnings"
    algebra=$(pkg-config --libs lapacke openblas)
    # what the library was perhaps built with
    if pkg-config --exists clp; then algebra="$algebra $(pkg-config --libs clp)"; fi
    if [ -e /usr/include/cvode/cvode.h ]; then algebra="$algebra -lsundials_cvode"; fi
    if [ -e /usr/include/zmumps_c.h ] && pkg-config --exists arpack; then algebra="$algebra -larpack -ldmumps_seq -lzmumps_seq"; fi
    # -g only names functions for callgrind; the code is the library's own
    for driver in amontons_klarbring amontons_map amontons_grazing amontons_orbits amontons_laws; do
        # shellcheck disable=SC2086
        build $driver $c -g -I "$root/include" "$root/bench/$driver.c" "$library/libamontons.a" $algebra -fopenmp -lm
    done
    # these measure rooms inside the library, whose headers are not installed
    for driver in amontons_lanes amontons_stability amontons_path amontons_lcp amontons_squeal amontons_response amontons_slip amontons_blocks; do
        # shellcheck disable=SC2086
        build $driver $c -g -I "$root/include" -I "$root/src" "$root/bench/$driver.c" "$library/libamontons.a" $algebra -fopenmp -lm
    done
    # with the shared library, as Python has it
    # shellcheck disable=SC2086
    build amontons_calls $c -I "$root/include" "$root/bench/amontons_calls.c" -L "$library" -lamontons
    siconos=/usr/include/siconos
    # shellcheck disable=SC2086
    build siconos_lcp $c -isystem $siconos -isystem $siconos/numerics "$root/bench/peers/siconos_lcp.c" -lsiconos_numerics -llapacke -lm
    # shellcheck disable=SC2086
    build exact_klarbring gcc -O2 -std=gnu17 $warnings "$root/bench/exact_klarbring.c" -lquadmath -lm
    for driver in cvode_klarbring cvode_grazing cvode_laws; do
        # shellcheck disable=SC2086
        build $driver $c "$root/bench/peers/$driver.c" -lsundials_cvode -lsundials_nvecserial -lm
    done
    auto=/usr/lib/auto-07p/lib # AUTO comes as objects that the equations are linked to
    if [ -d $auto ]; then
        # shellcheck disable=SC2086
        build auto_chain gfortran -O3 -fopenmp -J "$tools" "$root/bench/peers/auto_chain.f90" $auto/*.o
    fi
    build siconos_load.so g++ -O2 -shared -fPIC "$root/bench/peers/siconos_load.cpp"
}

# What the command line asks for: nothing for --help, --list and --page; valgrind for --check, which builds a library of its own; everything otherwise.
prepare() {
    wanted=everything
    online=yes
    for word in "$@"; do
        case $word in
        --help | -h | --list | --page) wanted=nothing ;;
        --check) [ $wanted = nothing ] || wanted=counts ;;
        --offline) online=no ;;
        esac
    done
    case $wanted in
    counts) [ $online = no ] || install_missing gcc pkg-config python3 cmake ninja-build valgrind ;;
    everything)
        # shellcheck disable=SC2086
        [ $online = no ] || install_missing $packages
        build_drivers
        ;;
    esac
}

# Nobody's linear algebra starts threads of its own: times are per core.
export OPENBLAS_NUM_THREADS=1
