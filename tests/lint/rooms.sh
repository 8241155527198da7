#!/bin/sh
# Checks the directions between the rooms of harness/, and the sizes of its files and functions.
. "${ROOT:-.}/tests/tap.sh"
cd "$ROOT" || exit 1

# includes DIRECTORY: prints "file included" for every include of the project's own headers there.
includes() {
    (cd "$1" && find . -name shim -prune -o -name '*.[chu]*' -type f -print | sed 's|^\./||' |
        xargs grep -HoE '^#include "[a-z_/]+\.h"' | sed -E 's/:#include "(.*)"/ \1/')
}

# wrong_directions: prints the includes that go up, or sideways where that is not allowed.
# A room may include itself and the rooms of lower rank. To add a room: its rank here, and its line
# in harness/README.md.
wrong_directions() {
    awk '
        BEGIN {
            split("base 0 catalog 1 driver 1 run 2 query 3 machine_code 3 gpu 3 cupti 3 " \
                "measure 4 collect 4 evaluate 4 lines 4 user_kernels 4 ncu_report 4 explain 5 " \
                "knockout 5 selftest_kernels 5 report 6 fleet 7 selftest 7 doctor 7 injected 7 " \
                "watched_program 7 versions 7 command_line 8 command 9 " \
                "gpu_command 9", word)
            for (i = 1; i in word; i += 2) rank[word[i]] = word[i + 1]
            # What only one of the two programs has.
            split("evaluate lines ncu_report explain report fleet selftest command", reading)
            split("gpu cupti measure collect knockout user_kernels selftest_kernels injected " \
                "watched_program versions gpu_command", gpu)
            for (i in reading) for (j in gpu) {
                never[reading[i] " " gpu[j]] = never[gpu[j] " " reading[i]] = 1
            }
            never["injected query"] = never["doctor gpu"] = never["command_line gpu"] = 1
        }
        function room(path) { return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "none" }
        $2 == "version.h" || $2 == "analysis.h" { next }
        {
            from = room($1)
            to = room($2)
            if (from == to) next
            if (!(from in rank) || !(to in rank)) print $1 ": unknown room of " $2
            else if (rank[to] >= rank[from] || (from " " to) in never) print $1 " includes " $2
        }'
}

none "$(includes harness | looked wrong_directions)" 'every include goes down'
for planted in 'base/message.c run/run.h' 'lines/annotation.c gpu/device.h' \
    'collect/probe.c measure/measure_run.h' \
    'evaluate/evaluate.c command_line/arguments.h' 'report/plot.c collect/collect_counters.h' \
    'gpu_command/main.c explain/explain.h' \
    'explain/moved.c elsewhere/x.h'; do
    file=${planted% *}
    rm -rf "$work/planted"
    mkdir -p "$work/planted/${file%/*}"
    printf '#include "%s"\n' "${planted#* }" >"$work/planted/$file"
    is "$(includes "$work/planted" | wrong_directions | wc -l)" 1 \
        "a planted include of ${planted#* } in $file is found"
done

# circles: prints the modules (a .c and its .h) that include each other, directly or not.
circles() { sed -E 's/\.(cu|c|h)( |$)/\2/g' | awk '$1 != $2' | { tsort >/dev/null; } 2>&1; }
none "$(includes harness | looked circles)" 'no circle between modules'
mkdir -p "$work/circle/base"
echo '#include "base/b.h"' >"$work/circle/base/a.h"
echo '#include "base/a.h"' >"$work/circle/base/b.c"
is "$(includes "$work/circle" | circles | grep -c 'base/[ab]$')" 2 '  a planted circle is found'

# The rent of each room: the most lines of its sources. Who needs more deletes something in that
# room. headers: those of kernels/, which rungs share.
rents='base 3731
catalog 2991
collect 3679
command 3533
command_line 1953
cupti 674
doctor 1424
driver 458
evaluate 1914
explain 7614
fleet 1557
gpu 1490
gpu_command 2106
injected 3613
knockout 2666
lines 3312
machine_code 6290
measure 3490
ncu_report 2012
query 2719
report 5666
run 3778
selftest 348
selftest_kernels 1020
user_kernels 1638
versions 1468
watched_program 3605
headers 10739'

# sources ROOM: prints its files.
sources() {
    case $1 in
    headers) find kernels -name '*.h' ;;
    *) find "harness/$1" -name '*.[chus]*' -type f ;;
    esac
}

# late: prints the rooms that are larger than their rents.
late() {
    while read -r room most; do
        lines=$(sources "$room" | xargs cat | wc -l)
        [ "$lines" -le "$most" ] || echo "$room has $lines lines, $most are its rent"
    done
}
none "$(echo "$rents" | looked late)" 'no room is larger than its rent'
is "$(echo 'base 100' | late | sed 's/has [0-9]* //')" 'base lines, 100 are its rent' \
    '  a planted one is found'
is "$(for room in harness/*/; do basename "$room"; done | sort)" \
    "$(echo "$rents" | awk '$1 != "headers" { print $1 }' | sort)" \
    'every room has a rent'

# A function begins with a line "{" alone and ends with a line "}" alone; its head counts, too.
long_functions() {
    xargs awk '
        FNR == 1 { start = 0 }
        /^[A-Za-z].*\(/ && !start { head = FNR }
        /^{$/ { start = head }
        /^}$/ && start {
            if (FNR - start + 1 > 60) print FILENAME ":" start ": " FNR - start + 1 " lines"
            start = 0
        }'
}
none "$(find harness -name '*.c' -o -name '*.cu' | looked long_functions)" \
    'no function of harness/ is longer than 60 lines'

# The width is counted in characters, not in bytes.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    none "$(git ls-files --cached --others --exclude-standard 'harness/*.[ch]' 'harness/*.cu' \
        'harness/*.sql' 'kernels/*.[ch]' 'kernels/*.cu' 'tests/*.[ch]' 'tests/*.cu' 2>/dev/null |
        LC_ALL=C.UTF-8 looked xargs grep -nHE '^.{101,}')" 'no source is wider than 100 columns'
fi
finish
