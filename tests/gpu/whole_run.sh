#!/bin/sh
# Tests two whole runs, as 'whyfast report' makes them on a machine with a GPU. The seven
# relaunching rungs at 2^22 and 2^29 must be done within a minute. The run of everything may take
# any time; its contents are checked, and it must be replayable. Keeps that run in $RUN if that is
# set, else in a temporary directory. Prints TAP. (Without gnuplot the runs have no charts, which is
# not a failure here.)
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

# ---- the seven rungs -----------------------------------------------------------------------------

timed "$WHYFAST" report --full 'reduce/0[1-7]*' -s 4194304,536870912 -o "$work/seven"
report $? 'a run of the seven rungs'
holds 'x < 60' \
    'seconds for both sizes, the seven rungs and the sweep, cold and warm, all counters (< 60)' \
    "$seconds"

# ---- everything: completeness --------------------------------------------------------------------

timed "$WHYFAST" report --full -o "$place"
report $? "a run of everything, in $seconds s"
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
report $? 'and nothing unfinished'
kinds "$place" >"$work/kinds"
rates "$place" >"$work/rates"
failing "$place" >"$work/failing"
# sound: drops the rows, with family and variant in their first cells, of the rungs that are expected
# to fail: those are neither timed nor counted.
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

# Points with their kind: family, variant, kind, size, the product of its dimensions, sweep, best,
# time, floor, the speed in the family's unit and its % of the peak, the unit, and the speed-up over
# the library with both ends of its interval.
column "$place/metrics.csv" family variant size sweep best time_ns floor_pct effective_gbs \
    effective_pct_peak tflops tflops_pct_peak speedup_library speedup_library_low \
    speedup_library_high |
    awk -F '\t' '
        FILENAME ~ /kinds$/ {
            split($0, part, ","); kind[part[1] "," part[2]] = part[3]; next
        }
        FILENAME ~ /rates$/ { split($0, part, ","); rate[part[1]] = part[2]; next }
        {
            n = split($3, dim, "x")
            product = 1
            for (i = 1; i <= n; i++) product *= dim[i]
            for (i = 4; i <= 14; i++) if ($i == "") $i = "-"
            speed = rate[$1] == "operations" ? $10 " " $11 " TFLOP/s" : $8 " " $9 " GB/s"
            printf "%s %s %s %s %.0f %s %s %s %s %s %s %s %s\n", $1, $2, kind[$1 "," $2], $3,
                product, $4, $5, $6, $7, speed, $12, $13, $14
        }' "$work/kinds" "$work/rates" - >"$work/points"
floor=$(awk '
    $3 != "cpu" && $12 == "GB/s" && $5 == 536870912 && $9 > most { most = $9 }
    END { print most }' "$work/points")
holds 'x < 0.5' 'A/A floor at 2^29 elements on the GPU, %, the largest of all points (< 0.5)' \
    "$floor"
floor=$(awk '
    $3 != "cpu" && $9 > most { most = $9; at = $1 "/" $2 " " $4 " setting " $6 }
    END { print most, at }' "$work/points")
cpu_floor=$(awk '$3 == "cpu" && $9 > most { most = $9 } END { print most + 0 }' "$work/points")
echo "# the largest floor of all on the GPU: $floor; on the CPU: $cpu_floor"
best=$(awk '
    $3 == "kernel" && $12 == "GB/s" && $5 == 536870912 && $11 > most { most = $11 }
    END { print most }' "$work/points")
holds 'x >= 90 && x <= 100' 'best kernel at 2^29 elements, % of the DRAM bus peak (>= 90)' "$best"
wrong=$(awk '
    $12 == "TFLOP/s" {
        n++; if (!($10 > 0 && $11 > 0 && $11 <= 100)) print $1 "/" $2, $4, $10, $11
    }
    END { if (!n) print "there is none" }' "$work/points")
nothing "$wrong" \
    "every point of the families in operations has its TFLOP/s, at most the FP32 peak"
echo '# the best kernel of each family and size: time in us, useful GB/s or TFLOP/s,' \
    '% of the peak, speed-up over the library [its interval]'
sort -k1,1 -k5,5n -k8,8g "$work/points" |
    awk '
        $3 == "kernel" && $7 == 1 && !seen[$1 $4]++ {
            printf "#   %-16s %-14s %-24s %4s %10.2f %8.1f %-7s %6.1f   %s [%s, %s]\n", $1, $4,
                $2, $6, $8 / 1000, $10, $12, $11, $13, $14, $15
        }'
wrong=$(column "$place/metrics.csv" family variant size sweep load_excess_wavefronts \
    store_excess_wavefronts closed_form_excess_wavefronts matrix_excess_wavefronts | sound |
    awk -F '\t' '
        $7 != "" { n++; if ($5 == "" || $6 == "" || $5 + $6 + $8 != $7) print }
        END { if (!n) print "nowhere one" }')
nothing "$wrong" "the excess of loads and stores equals the closed form at every point that has one"
wrong=$(column "$place/metrics.csv" family variant size sweep shared_wavefronts_load \
    closed_form_load_wavefronts shared_wavefronts_store closed_form_store_wavefronts \
    shared_matrix_load_wavefronts closed_form_matrix_wavefronts | sound |
    awk -F '\t' '
        $6 != "" { n++; if ($5 == "" || $5 != $6 || $7 != $8 || $9 != $10) print }
        END { if (!n) print "nowhere at all" }' |
    head -n 5)
nothing "$wrong" \
    "wavefronts of loads and of stores, of all launches, follow from the described addresses"
described=$(sed 1d "$place/accesses.csv" | cut -d , -f 1-5 | sort -u | wc -l)
compared=$(column "$place/metrics.csv" closed_form_load_wavefronts closed_form_store_wavefronts |
    awk -F '\t' '$1 != "" && $2 != ""' | wc -l)
[ "$described" -eq "$compared" ]
report $? "  which is at each of the $described points whose accesses are known: $compared"
conflicts=$(column "$place/metrics.csv" family variant size sweep shared_excess_wavefronts |
    awk -F '\t' '
        $1 == "reduce" && $2 ~ /^0[1-7]_/ && (($2 ~ /^02_/) != ($5 > 0)) {
            print $2, $3, $4, $5
        }')
nothing "$conflicts" "of the seven rungs only the strided one has excess"
wrong=$(sed 1d "$place/ceilings.csv" | grep -v ',ok$')
nothing "$wrong" "every ceiling was measured"
# No resource alone can need longer than the kernel took; rounding, varying clocks and counters of
# other passes account for a few per cent.
wrong=$(column "$place/demands.csv" family variant size resource pct | sound |
    awk -F '\t' '$5 == "" || $5 > 103 { print $1 "/" $2, $3, $4, $5 }')
[ -z "$wrong" ]
report $? \
    "every demand is known and none is above 103 % of the clean time $(echo "$wrong" | sort |
        head -n 12 | tr '\n' ';')"
column "$place/demands.csv" family variant size block resource rank | sound >"$work/demands"
unranked=$(awk -F '\t' '
    { at = $1 "/" $2 " " $3 " " $4; seen[at] = 1; if ($6 == 1) first[at] = 1 }
    END { for (at in seen) if (!first[at]) print at }' "$work/demands")
nothing "$unranked" \
    "every point has its limiter: $(awk -F '\t' \
        '$6 == 1 { n[$5]++ } END { for (r in n) printf "%d %s ", n[r], r }' \
        "$work/demands")"
absent=$(grep -c 'absent' "$place/counters.csv")
[ "$absent" -eq 0 ] ||
    column "$place/counters.csv" counter source status | grep absent | sort | uniq -c |
    sed 's/^/# /'
throttled=$(column "$place/series.csv" throttled | awk '{ sum += $1 } END { print sum }')
echo "# absent counter values: $absent; throttled samples: $throttled"
echo "# verdicts: $(sed 1d "$place/verdicts.csv" |
    grep -oE ',(confirmed|refuted|seen|not seen|undecided|not measurable here),' |
    sort | uniq -c | tr -s ' ,\n' ' ')"

# ---- everything: replayed from its files ---------------------------------------------------------

timed "$WHYFAST" report "$place" -o "$work/again"
report $? "the run is reported again, without the GPU, in $seconds s"
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
echo "1..$count"
