#!/usr/bin/env bash
# Installs into a scratch prefix, then builds and runs the examples against it as an outside user would: with CMake (shared and
# static) and with pkg-config. Called by ctest, which sets CMAKE, BUILD, CC, CFLAGS, CONFIG, GENERATOR, LIBDIR, STUDY and MPI.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
scratch="$BUILD/install test" # a space on purpose
prefix="$scratch/prefix"
rm -rf "$scratch"
mkdir -p "$scratch"
"$CMAKE" --install "$BUILD" --config "$CONFIG" --prefix "$prefix" >"$scratch/install.log"

expect() {
    [ -e "$prefix/$1" ] || {
        echo "not installed: $1"
        exit 1
    }
}
expect "$LIBDIR/libamontons.so"
expect "$LIBDIR/libamontons.a"
expect "$LIBDIR/pkgconfig/amontons.pc"
expect "$LIBDIR/cmake/amontons/amontonsConfig.cmake"
expect include/amontons/amontons.h
expect share/doc/amontons/LICENSE
if [ "$STUDY" = ON ]; then
    expect bin/amontons
    expect share/man/man1/amontons.1
    expect share/amontons/gallery
    expect share/bash-completion/completions/amontons
    expect share/zsh/site-functions/_amontons
    if [ "$MPI" = ON ]; then
        expect "$LIBDIR/amontons/libamontons_mpi.so"
        # The installed command finds its module, from anywhere (not under the sanitizers, which cannot bear it).
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
        case $CFLAGS in
        *fsanitize*) ;;
        *)
            if mpirun -np 1 true 2>/dev/null; then
                "$prefix/bin/amontons" new sweep >"$scratch/sweep.yaml"
                (cd "$scratch" && mpirun -np 2 "$prefix/bin/amontons" run sweep.yaml --out ranks >ranks.log)
                (cd "$scratch" && "$prefix/bin/amontons" run sweep.yaml --out alone >alone.log)
                "$SAME" "$scratch/ranks/results.nc" "$scratch/alone/results.nc"
            fi
            ;;
        esac
    fi
    # The command finds the gallery installed beside it, from anywhere.
    studies=$(cd / && "$prefix/bin/amontons" list gallery)
    grep -q fig4b <<<"$studies" || {
        echo 'the installed command does not list its gallery'
        exit 1
    }
fi

# What is installed looks for its libraries in safe places, and has no memory that is both written and run.
"$BUILD/tests/test_elf" "$prefix" >"$scratch/elf.log" 2>&1 || {
    cat "$scratch/elf.log"
    exit 1
}

# What leaves the shared library is what the headers declare, no more and no less (output.h and study.h only where they are
# built).
nm -D --defined-only "$prefix/$LIBDIR/libamontons.so" | awk '{print $3}' | sort >"$scratch/exported"
headers=("$prefix"/include/amontons/*.h)
if [ ! -x "$prefix/bin/amontons" ]; then
    mapfile -t headers < <(printf '%s\n' "${headers[@]}" | grep -v -e '/output\.h$' -e '/study\.h$')
fi
# The last am_name( in front of which there is no other parenthesis, of every declaration.
sed -nE 's/^AM_API [^(]*\b(am_[a-z0-9_]+)\(.*/\1/p' "${headers[@]}" | sort >"$scratch/declared"
if ! diff "$scratch/declared" "$scratch/exported" >"$scratch/difference"; then
    echo 'the headers (<) and the names that the shared library shows (>) differ:'
    cat "$scratch/difference"
    exit 1
fi

# With CMake, once per kind of library; a sanitizer in CFLAGS must go into the examples too. ctest runs the examples.
for kind in shared static; do
    "$CMAKE" -G "$GENERATOR" -S examples -B "$scratch/$kind" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
        -DCMAKE_C_FLAGS="$CFLAGS" -DCMAKE_BUILD_TYPE="$CONFIG" -DEXAMPLES_LIBRARY="$kind" >"$scratch/$kind.log"
    "$CMAKE" --build "$scratch/$kind" >>"$scratch/$kind.log" || {
        cat "$scratch/$kind.log"
        exit 1
    }
    for source in examples/*.c; do
        name=$(basename "$source" .c)
        "$scratch/$kind/$name" >"$scratch/$kind/$name.out"
        [ -s "$scratch/$kind/$name.out" ] || {
            echo "$name printed nothing"
            exit 1
        }
    done
done
cmp "$scratch/shared/first_motion.out" "$scratch/static/first_motion.out"

# With pkg-config. The flags may hold escaped spaces, which only eval reads rightly.
export PKG_CONFIG_PATH="$prefix/$LIBDIR/pkgconfig"
for static in '' --static; do
    flags=$(pkg-config $static --cflags --libs amontons)
    eval "\"\$CC\" -std=c17 $CFLAGS examples/first_motion.c -o \"\$scratch/by_pkgconfig\" $flags"
    env -u LD_LIBRARY_PATH "$scratch/by_pkgconfig" | cmp - "$scratch/shared/first_motion.out"
done
echo 'installed; the examples build and run'
