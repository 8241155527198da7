#!/bin/sh
# Tests two whole runs, as 'whyfast report' makes them on a machine with a GPU. The seven
# relaunching rungs at 2^22 and 2^29 must be done within a minute. The run of everything may take
# any time; its contents are checked, and it must be replayable. Keeps that run in $RUN if that is
# set, else in a temporary directory. If $RUN is a run already, only its contents are checked, which
# needs no GPU. Prints TAP. (Without gnuplot the runs have no charts, which is not a failure here.)
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
place=${RUN:-$work/run}

# timed COMMAND...: prints its output as comments, sets $seconds to its wall time and returns its
# exit status.
timed() {
    start=$(date +%s.%N)
    "$@" >"$work/out" 2>&1
    status=$?
    seconds=$(echo "$start $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }')
    sed 's/^/# /' "$work/out"
    return $status
}

# ---- the seven rungs, and everything: completeness -----------------------------------------------

if [ ! -e "$place/index.html" ]; then
    timed "$WHYFAST" report --full 'reduce/0[1-7]*' -s 4194304,536870912 -o "$work/seven"
    result $? 'a run of the seven rungs'
    holds 'x < 60' \
        'seconds for both sizes, the seven rungs and the sweep, cold and warm, all counters (< 60)' \
        "$seconds"
    timed "$WHYFAST" report --full -o "$place"
    result $? "a run of everything, in $seconds s"
fi
files='run.txt index.html report.md'
for table in families variants claims published points launches accesses series samples counters \
    ceilings power metrics noise steps verdicts published_steps moved ablation \
    ledger causes said demands stages traces activities trace_samples; do
    files="$files $table.csv"
done
if command -v "${GNUPLOT:-gnuplot}" >/dev/null; then files="$files charts.csv charts"; fi
missing=
for file in $files; do [ -s "$place/$file" ] || missing="$missing $file"; done
nothing "$missing" "every file of a run is there"
[ -z "$(find "$place" "$place".part -name '*.part' -o -name '*.tmp' 2>/dev/null)" ]
result $? 'and nothing unfinished'
kinds "$place" >"$work/kinds"
failing "$place" >"$work/failing"
# sound: drops the rows, with family and variant in their first cells, of the rungs that are expected
# to fail: those have no time to compare and no counters.
sound() {
    awk -F '\t' -v failing="$work/failing" '
        BEGIN { while ((getline row <failing) > 0) fails[row] = 1 }
        !(($1 "," $2) in fails)'
}
"$WHYFAST" list --csv | awk -F , 'NR > 1 { print $1 "," $2 }' | sort >"$work/variants"
unseen=$(sed 1d "$place/points.csv" | cut -d , -f 1,2 | sort -u | comm -23 "$work/variants" -)
nothing "$unseen" "every variant was run"
wrong=$(awk -F , "$by_name"'NR > 1 && $at["status"] !~ /^(ok|wrong as expected|right by luck)$/ &&
    !($at["status"] == "skipped" && $at["reason"] != "")' "$place/points.csv")
nothing "$wrong" \
    "every point is right, skipped with a reason or expected to fail: $(
        column "$place/points.csv" status | sort |
        uniq -c | tr -s ' \n' ' ')"
awk -F , "$by_name"'NR > 1 && $at["status"] != "ok" { print "# " $0 }' "$place/points.csv"
timeless=$(column "$place/metrics.csv" family variant size sweep time_ns floor_pct | sound |
    awk -F '\t' '$5 == "" || $6 == ""')
nothing "$timeless" "every right point has a time and a noise floor"

# ---- everything: the figures ---------------------------------------------------------------------

floor=$(column "$place/metrics.csv" family variant size floor_pct |
    awk -F '\t' '
        FILENAME ~ /kinds$/ { split($0, part, ","); kind[part[1] "," part[2]] = part[3]; next }
        $3 == 536870912 && kind[$1 "," $2] != "cpu" && $4 > most { most = $4 }
        END { print most }' "$work/kinds" -)
holds 'x < 0.5' 'A/A floor at 2^29 elements on the GPU, %, the largest of all points (< 0.5)' \
    "$floor"
described=$(sed 1d "$place/accesses.csv" | cut -d , -f 1-5 | sort -u | wc -l)
compared=$(column "$place/metrics.csv" closed_form_load_wavefronts closed_form_store_wavefronts |
    awk -F '\t' '$1 != "" && $2 != ""' | wc -l)
[ "$described" -eq "$compared" ]
result $? "wavefronts follow from addresses at each of the $described points whose accesses are known"
wrong=$(sed 1d "$place/ceilings.csv" | grep -v ',ok$')
nothing "$wrong" "every ceiling was measured"
# No resource alone can need longer than the kernel took; rounding, varying clocks and counters of
# other passes account for a few per cent. Demands by instrumented code are absent for slow launches.
column "$place/demands.csv" family variant size block resource rank pct | sound >"$work/demands"
wrong=$(awk -F '\t' '
    { at = $1 "/" $2 " " $3 " " $4; seen[at] += $7 == "" || $6 == 1 }
    $7 > 103 { print at, $5, $7 }
    END {
        for (at in seen) { points++; if (!seen[at]) print at " has no limiter" }
        if (!points) print "there are none"
    }' "$work/demands" | head -n 12)
nothing "$wrong" "no demand is above 103 % of the clean time, and where all are known one limits"
# What every good run has, on this one as the recorded run.
sh tools/pack_run.sh "$place" "$work/packed" >/dev/null &&
    sh tests/tools/test_data.sh "$WHYFAST" "$work/packed" "$work/data" &&
    TEST_DATA=$work/data sh tests/golden/replay.sh >"$work/out" 2>"$work/err"
result $? 'tests/golden/replay.sh passes on this run'
grep '^not ok' "$work/out" | cat - "$work/err" | sed 's/^/# /'
for test in lines/test_recorded_lines report/test_recorded_timeline; do
    ROOT=$PWD TEST_DATA=$work/data "$BUILD/tests/unit/$test" >"$work/out" 2>&1
    result $? "and so does $test"
    sed 's/^/# /' "$work/out"
done
absent=$(grep -c 'absent' "$place/counters.csv")
[ "$absent" -eq 0 ] ||
    column "$place/counters.csv" counter source status | grep absent | sort | uniq -c |
    sed 's/^/# /'
throttled=$(column "$place/series.csv" throttled | awk '{ sum += $1 } END { print sum }')
echo "# absent counter values: $absent; throttled samples: $throttled"

# ---- everything: replayed from its files ---------------------------------------------------------

timed "$WHYFAST" report "$place" -o "$work/again"
result $? "the run is reported again, without the GPU, in $seconds s"
differ=
for table in "$place"/*.csv; do
    cmp -s "$table" "$work/again/$(basename "$table")" || differ="$differ $(basename "$table")"
done
nothing "$differ" "  with the same tables, to the byte"
for table in "$place"/*.csv; do
    wc -c <"$table" |
        awk -v name="$(basename "$table")" \
            '$1 > 4000000 { printf "# %s has %.1f MB\n", name, $1 / 1e6 }'
done
finish
