#!/bin/sh
# Prints for each harness/*.c the share of its lines that the programs of a coverage tree have run,
# the least first, and the share of all together.
#
#   sh tests/tools/coverage.sh build/coverage 85
#
# Exits with 1 if that is below the given per cent, or if nothing was counted. GCOV names the
# compiler's gcov.

set -u
tree=${1:?usage: sh tests/tools/coverage.sh TREE PERCENT}
least=${2:?usage: sh tests/tools/coverage.sh TREE PERCENT}

# gcov prints "File 'harness/x.c'", then "Lines executed:12.34% of 56", once for each file of an
# object, including headers and the system's files.
find "$tree/obj/harness" -name '*.gcno' -exec "${GCOV:-gcov}" -n '{}' ';' 2>/dev/null |
    awk -v least="$least" '
    /^File / { file = $2; gsub(/\047/, "", file) }
    /^Lines executed:/ && file ~ /^harness\/.*\.c$/ {
        percent = substr($2, 10) + 0
        lines = $NF
        run = int(percent * lines / 100 + 0.5)
        all += lines
        all_run += run
        printf "%6.1f %%  %4d of %4d  %s\n", percent, run, lines, file | "sort -n"
    }
    /^Lines executed:/ { file = "" }
    END {
        close("sort -n")
        if (!all) { print "coverage: nothing was counted"; exit 1 }
        total = 100 * all_run / all
        printf "%6.1f %%  %d of %d lines of harness/*.c; the device code is not counted\n", total,
            all_run, all
        if (total < least) { printf "coverage: less than %s %%\n", least; exit 1 }
    }'
