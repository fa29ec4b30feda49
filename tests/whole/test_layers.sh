#!/usr/bin/env bash
# Includes point one way, between rooms and inside them: base <- math <- imports, laws <- system <- halfplane, solid <- engines <- models, analyses <- papers <- output
# <- study <- lab <- app, and no circle of folders or of files. Public headers include only public headers and compile on their own, in C17 and as C++.
# Optional libraries stay out of the core. With BUILD (the folder of a build) the direction of all calls is checked too.
set -uo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." || exit 1
failures=0
fail() {
    printf '%s\n' "$*"
    failures=$((failures + 1))
}

# Height of each room: a file may include its own room and lower ones. Rooms of equal height do not see each other.
declare -A height=([base]=0 [math]=1 [imports]=2 [laws]=2 [system]=3 [halfplane]=4 [solid]=4 [engines]=5 [models]=6 [analyses]=6 [papers]=7 [output]=8
    [study]=9 [lab]=10 [app]=11)

# The room of a public header: by this table, else the one room with a source of that name. amontons.h is the whole house.
room_of_header() { # room_of_header NAME -> room
    local sources
    case "$1" in
        amontons) echo app ;;
        error | result) echo base ;;
        matrix) echo math ;;
        laws) echo laws ;;
        system) echo system ;;
        mesh) echo solid ;;
        models) echo models ;;
        output) echo output ;;
        march | motion | orbit | path | response | states) echo engines ;; # options and handles, which engines know
        slip) echo halfplane ;;
        squeal) echo analyses ;;
        study) echo study ;;
        *)
            sources=(src/*/"$1".c)
            if [ -f "${sources[0]}" ] && [ "${#sources[@]}" -eq 1 ]; then
                basename "$(dirname "${sources[0]}")"
            fi
            ;;
    esac
}

# One line per include: file, line number, the text between quotes or angle brackets with its opening mark.
includes_of() {
    grep -nE '^[[:space:]]*#[[:space:]]*include' "$@" /dev/null |
        sed -E 's/^([^:]*):([0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*(["<])([^">]*).*/\1 \2 \3\4/'
}

check_room_includes() {
    local file line what room target
    while read -r file line what; do
        room=${file#src/}
        room=${room%%/*}
        case "$what" in
            '<'*)
                case "$what" in
                    *fyaml* | *cJSON* | *netcdf*)
                        [ "${height[$room]}" -ge "${height[output]}" ] ||
                            fail "$file:$line: the core must not need $what>; optional libraries belong to output and study"
                        ;;
                    *microhttpd*)
                        [ "$room" = lab ] || fail "$file:$line: the lab alone has connections: $what>"
                        ;;
                esac
                continue
                ;;
            '"amontons/'*)
                target=${what#\"amontons/}
                [ -f "include/amontons/$target" ] || fail "$file:$line: there is no include/amontons/$target"
                target=$(room_of_header "${target%.h}")
                ;;
            *)
                target=${what#\"}
                [ -f "src/$target" ] || [ "${target%.inc}" != "$target" ] || # made by the build
                    fail "$file:$line: there is no src/$target (room headers are included as \"room/name.h\")"
                target=${target%%/*}
                ;;
        esac
        if [ -z "$target" ] || [ -z "${height[$target]+x}" ]; then
            fail "$file:$line: which room does $what\" belong to? Give it a source of that name, or a place in tests/whole/test_layers.sh"
        elif [ "$target" != "$room" ] && [ "${height[$target]}" -ge "${height[$room]}" ]; then
            fail "$file:$line: $room must not include $what\" (room $target): includes point one way"
        fi
    done < <(find src -name '*.[ch]' -print0 | sort -z | xargs -0 bash -c "$(declare -f includes_of); includes_of \"\$@\"" _)
}

# Calls go one way too, whatever header declares them: no room uses a function that a higher one defines. Models stand above analyses here: they may
# ask one by its public header about themselves (blocks beside half-planes, the cycles of the oscillator). BUILD: a folder in which the library was built.
check_calls() {
    local objects="$BUILD/CMakeFiles/amontons_objects.dir/src" found
    [ -d "$objects/base" ] || { fail "there are no objects of the library in $objects"; return; }
    found=$(cd "$objects" && find . -name '*.c.o' -printf '%P\n' | while read -r object; do
        [ ! -f "$OLDPWD/src/${object%.o}" ] || printf '%s\n' "$object" # objects of sources that are gone may still be there
    done | xargs nm -A | sed -E 's/^([^:]*)\.o:[0-9a-f ]*([A-Za-z]) /\1 \2 /' | awk -v order='base math imports laws system halfplane solid engines analyses models papers output study lab app' '
        BEGIN { n = split(order, room, " "); for (i = 1; i <= n; i++) height[room[i]] = i; height["laws"] = height["imports"]; height["solid"] = height["halfplane"] }
        $2 ~ /[TDRB]/ { where[$3] = $1 }
        $2 == "U" { user[++uses] = $1; name[uses] = $3 }
        END {
            for (i = 1; i <= uses; i++) {
                if (!(name[i] in where)) continue
                split(user[i], from, "/"); split(where[name[i]], to, "/")
                if (from[1] != to[1] && height[to[1]] >= height[from[1]]) print "src/" user[i] " calls " name[i] " of src/" where[name[i]]
            }
        }')
    [ -z "$found" ] || fail "calls point one way, as includes do:"$'\n'"$found"
}

# Circles of includes. A file and its header are one place, and so is what they keep inside (`_internal.h`); a source `NAME.c` belongs to the folder
# `NAME/` beside it. tsort names the places of a circle.
check_circles() { # check_circles WHAT SED: sed makes places of paths
    local circles
    circles=$(find src -name '*.[ch]' -print0 | xargs -0 grep -oE '^#include "[a-z_0-9/]+\.h"' |
        sed -E 's/^src\/([^:]*):#include "(.*)"$/\1 \2/' | grep -v ' amontons/' | tr ' ' '\n' | sed -E "$2" | paste -d' ' - - |
        awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null)
    [ -z "$circles" ] || fail "$1 include each other in a circle:"$'\n'"$circles"
}

check_public_includes() {
    local file line what
    while read -r file line what; do
        case "$what" in
            '"amontons/'*) [ -f "include/${what#\"}" ] || fail "$file:$line: there is no include/${what#\"}" ;;
            '"'*) fail "$file:$line: public headers include public headers only, as \"amontons/name.h\"" ;;
            '<std'*'.h' | '<math.h' | '<float.h' | '<limits.h') ;;
            *) fail "$file:$line: a public header must not need $what>" ;;
        esac
    done < <(includes_of include/amontons/*.h)
}

check_headers_alone() { # check_headers_alone LANGUAGE COMPILER STANDARD
    local header
    for header in include/amontons/*.h; do
        printf '#include "amontons/%s"\n' "$(basename "$header")" |
            "$2" -x "$1" "-std=$3" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude - ||
            fail "$header does not compile on its own in $3"
    done
}

for folder in src/*/; do
    room=$(basename "$folder")
    [ -n "${height[$room]+x}" ] || fail "src/$room: a new room needs its place in tests/whole/test_layers.sh"
done
check_room_includes
[ -z "${BUILD:-}" ] || check_calls

# A source beside a folder of its name is the folder's, its header is not: that is what others see.
check_circles files 's/^((engines|analyses|papers)\/[a-z_0-9]+)\.c$/\1\/source/; s/(_internal)?\.[ch]$//'
check_circles folders 's/^((engines|analyses|papers)\/[a-z_0-9]+).*/\1/; s/\.[ch]$//; s/^(base|math|imports|system|halfplane|solid|models|output|study|lab|app)\/.*/\1/'
check_public_includes
for header in include/amontons/*.h; do
    name=$(basename "$header")
    [ "$name" = amontons.h ] || grep -qF "#include \"amontons/$name\"" include/amontons/amontons.h ||
        fail "include/amontons/amontons.h does not include $name"
done

# A name means one thing: no two types of the whole tree share one.
twice=$(grep -rhoE '^(typedef )?(struct|enum|union) am_[a-z_0-9]+ \{' src include --include='*.[ch]' |
    grep -oE 'am_[a-z_0-9]+' | sort | uniq -d)
[ -z "$twice" ] || fail "types with two meanings:" $twice

# A file's name says what is in it: once in a room, and at most three times in the tree (the stations of one subject: motion.c answers,
# study/analyses/motion.c reads its options).
names_of() { find "$1" -name '*.[ch]' -printf '%f\n' | sort; }
for folder in src/*/; do
    twice=$(names_of "$folder" | uniq -d)
    [ -z "$twice" ] || fail "$folder: files of one name:" $twice
done
often=$(names_of src | uniq -c | awk '$1 > 3 { print $2 }')
[ -z "$often" ] || fail "files of one name in more than three rooms:" $often
check_headers_alone c "${CC:-cc}" c17
if command -v "${CXX:-g++}" >/dev/null 2>&1; then
    check_headers_alone c++ "${CXX:-g++}" c++11
    check_headers_alone c++ "${CXX:-g++}" c++20
else
    echo 'no C++ compiler: the headers were checked in C only'
fi

if [ "$failures" -gt 0 ]; then
    echo "$failures found"
    exit 1
fi
if ! command -v "${CXX:-g++}" >/dev/null 2>&1; then
    exit 77
fi
echo 'includes point one way'
