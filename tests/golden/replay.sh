#!/bin/sh
# Tests the properties that a run and its report must have whatever the figures.
. "${ROOT:-.}/tests/tap.sh"
recorded=$(fixture_run)
report=$work/report

# ---- the replay ----------------------------------------------------------------------------------

expect 0 'replay' "$WHYFAST" report --replay -o "$report"
name=$(basename "$recorded")
is "$(head -n 1 "$work/out" |
    grep -c "^Replaying the recorded run $name .*: nothing was measured on this machine")" \
    1 '  its first line says so'
is "$(sed -n '$p' "$work/out")" "$report/index.html" '  its last names the report'
is "$(complaints)" '' '  nothing to complain of'
for file in index.html report.md; do
    contains "$report/$file" "$(basename "$recorded")" "$file names the run"
    is "$(sed '/<h2\|^## /,$d' "$report/$file" | grep -c 'nothing was measured on this machine')" \
        1 '  and says at its head that it is a replay'
done
expect 0 'a report of one'\''s own run' env PATH=/nowhere "$WHYFAST" report "$recorded" \
    -o "$work/own"
lacks "$work/own/report.md" 'nothing was measured on this machine' '  is no replay'
is "$(($(grep -c '^| ' "$report/coverage.md") > 300))" 1 '  its coverage lists the statements'
for table in $raw_tables; do
    cmp -s "$recorded/$table.csv" "$report/$table.csv"
    result $? "$table.csv is that of the recorded run"
done
for table in $later_tables; do
    if [ -e "$recorded/$table.csv" ]; then
        cmp -s "$recorded/$table.csv" "$report/$table.csv"
    else
        [ ! -e "$report/$table.csv" ]
    fi
    result $? "$table.csv is that of the recorded run, or both lack it"
done
expect 0 'replay again' "$WHYFAST" report --replay -o "$work/again"
sums "$report" >"$work/one"
sums "$work/again" | sed "s|$work/again|$report|" | cmp -s - "$work/one"
result $? '  gives the same, to the byte'

# ---- the pictures --------------------------------------------------------------------------------

charts=$(($(wc -l <"$report/charts.csv") - 1))
# mapped CONDITION: succeeds if a family has eight ratios or more at sizes of one dimension (m, the
# third column, is empty) or of several.
mapped() {
    awk -F , "NR > 1 && \$14 != \"\" && $1 { if (++count[\$1] == 8) found = 1 } END { exit !found }" \
        "$report/shape_map.csv"
}
# A chart is not drawn if the run lacks its data. has SCRIPT: prints 1 if the chart must be drawn.
has() {
    case $1 in
    10_threads) grep -q ',threads,' "$report/variants.csv" ;;
    12_residency) grep -q ',words,' "$report/variants.csv" ;;
    15_stalls) grep -q ',stall_total,.*,ok$' "$report/counters.csv" ;;
    16_ablation) grep -qE ',[a-z_]+=[0-9]+( [a-z_]+=[0-9]+)*,' "$report/variants.csv" ;;
    18_bank_map)
        grep -oE ',(load|store),[0-9]+,[0-9.e+]+,[0-9]+,[0-9]+,' "$report/accesses.csv" |
            awk -F , '$5 > $6 { found = 1 } END { exit !found }'
        ;;
    19_ledger) [ "$(wc -l <"$report/levels.csv")" -gt 1 ] ;;
    20_waterfall) [ "$(wc -l <"$report/causes.csv")" -gt 1 ] ;;
    21_timeline) grep -q "^[^\"]*,timeline,.*,ok$" "$report/traces.csv" 2>/dev/null ;;
    31_peaks) grep -q ',tensor_bf16$' "$report/families.csv" ;;
    32_lanes) grep -q '^reduce,01_interleaved_modulo,' "$report/variants.csv" ;;
    28_shape_map) mapped '$3 != ""' ;;
    29_size_map) mapped '$3 == ""' ;;
    *) true ;;
    esac
}
for script in $(find "$ROOT/plots" -name '*.gp' ! -name style.gp -exec basename '{}' .gp ';' |
    sort); do
    if has "$script"; then echo "$script"; fi
done >"$work/expected"
is "$(sed 1d "$report/charts.csv" | cut -d , -f 2 | sort -u)" "$(cat "$work/expected")" \
    'every script under plots/ draws if the run has its data'
is "$((charts >= 7))" 1 'at least seven charts'
for chart in $(sed 1d "$report/charts.csv" | cut -d , -f 1); do
    is "$(grep -c '</svg>' "$report/charts/$chart.svg")" 1 "$chart.svg is whole"
    is "$(($(wc -l <"$report/charts/$chart.csv") > 1))" 1 '  and has rows'
done
# The cells of a bank map and the words above it are computed in different ways.
for map in "$report"/charts/18_bank_map-*.csv; do
    [ -e "$map" ] || continue
    none "$(looked awk -F , '
        NR > 1 && $6 != "" && $6 + 1 > most[$1] { most[$1] = $6 + 1 }
        $2 == 0 { split($NF, word, " "); told[$1] = word[3] }
        END { for (p in told) if (told[p] != most[p]) print p }' <"$map")" \
        "$(basename "$map"): its cells are in as many wavefronts as it says"
done
# A waterfall ends at the time after the step.
for waterfall in "$report"/charts/20_waterfall-*.csv; do
    [ -e "$waterfall" ] || continue
    none "$(looked awk -F , '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["kind"] != "full" { was = $at["value"] }
        { end = $at["value"] }
        END { if (!(was - end < end / 1e6 && end - was < end / 1e6)) print was, end }' \
        <"$waterfall")" \
        "$(basename "$waterfall"): its causes lead from the time before to the time after"
done
if command -v xmllint >/dev/null; then
    xmllint --noout "$report"/charts/*.svg 2>"$work/err"
    result $? 'the pictures are XML' || explain "$(head -n 3 "$work/err")"
else
    skip 'xmllint is not here to read the pictures'
fi
none "$(ls "$report"/charts/*.svg | looked xargs grep -il '<script\|href="http\|javascript:')" \
    'no script and no address in them'

# ---- the report ----------------------------------------------------------------------------------
# tests/browser follows its links, and pictures.py compares its numbers.

families=$(sed 1d "$report/families.csv" | cut -d , -f 1 | grep -x '[a-z_0-9]*')
grep -o 'class="name" href="ladder-[a-z_0-9]*' "$report/index.html" | sed 's/.*ladder-//' \
    >"$work/families"
for family in $families; do
    page=$report/ladder-$family.html
    tr '\n' ' ' <"$page" | sed 's/<noscript>/\n&/g; s|</noscript>|&\n|g' | grep -v '^<noscript>' |
        grep -o '<img [^>]*>' >"$work/pictures"
    none "$(sort "$work/pictures" | looked uniq -d)" "$family: no picture twice"
    none "$(looked grep -v ' alt="[^"][^"]*" src="charts/[A-Za-z0-9_-]*\.svg">' <"$work/pictures")" \
        '  each from the charts, with words in its place'
    is "$(grep -c "^$family$" "$work/families")" 1 '  the index leads to it'
done
# within BYTES NAME: passes if what it is given has fewer bytes. A whole run keeps these budgets, too
# (make check-record).
within() { is "$(($(wc -c) < $1))" 1 "$2"; }
cat "$report"/*.html >"$work/pages"
within 1000000 'all pages are below 1 MB' <"$work/pages"
within 300000 'the index is below 300 kB' <"$report/index.html"
for family in $families; do
    cat "$report/ladder-$family.html" "$report/ladder-$family.js" >"$work/pages"
    within 600000 "the page of $family is below 600 kB" <"$work/pages"
done
within 60000 'report.md is below 60 kB' <"$report/report.md"
is "$(($(wc -l <"$report/report.md") <= 400))" 1 '  and has at most 400 lines'

for file in "$report"/*.html "$report/report.md"; do
    name=$(basename "$file")
    lacks "$file" '{{' "$name: every placeholder is filled"
    lacks "$file" '}}}}' '  to its end'
    lacks "$file" 'NaN' '  no NaN'
    lacks "$file" '(null)' '  no (null)'
done
lacks "$report/report.md" '<script' 'no script in the Markdown'
none "$(grep -oh '<script[^>]*>' "$report"/*.html |
    looked grep -v '^<script src="[A-Za-z0-9_-]*\.js">$')" \
    'every script of a page is a file beside it'
for html in "$report"/*.html; do
    name=$(basename "$html")
    none "$(looked grep -ioE \
        '(srcset|poster|action)="[^"]{0,9}|url\([^)]{0,9}|@import.{0,9}|<(iframe|object|embed|'\
'base) |src="[a-z]*:[^"]{0,9}|href="[a-z]*:[^"]{0,9}' \
        <"$html")" "$name loads nothing from elsewhere"
    contains "$html" '<meta charset="utf-8">' '  in UTF-8'
    contains "$html" 'lang="en"' '  and says its language'
    is "$(grep -c '</html>' "$html")" 1 '  and ends'
    valid "$html"
done

# The same in one file.
expect 0 'a report in a single file' env PATH=/nowhere "$WHYFAST" report -q --single-file \
    "$recorded" -o "$work/single"
is "$(sed -n '$p' "$work/out")" "$work/single/report.html" '  its name is the last line'
single=$work/single/report.html
is "$(wc -c <"$single" | awk '{ print ($1 < 4000000) }')" 1 '  below 4 MB'
is "$(grep -c '<main ' "$single")" "$(($(echo "$families" | wc -l) + 2))" '  with all pages'
none "$(looked grep -oE '(href|src)="[^#"][^"]*"' <"$single")" '  which needs no other file'
valid "$single"
# A page that is cut off, and one with a name twice.
sed 's|</table>||' "$report/method.html" >"$work/unclosed.html"
sed 's|<h2>|<h2 id="twice">|' "$report/method.html" >"$work/twice.html"
for fault in 'unclosed missing </table>' 'twice anchor "twice" already defined'; do
    html_faults "$work/${fault%% *}.html" >"$work/faults"
    contains "$work/faults" "${fault#* }" "a planted fault is found: ${fault#* }"
done

# ---- the figures of every good run ---------------------------------------------------------------

metrics=$report/metrics.csv
# The kind of a variant is the last cell but one of its row; the cells before and after it may hold
# commas.
awk -F , '
    NR > 1 {
        kind = ""
        rest = $0
        while (match(rest, /,(kernel|library|cpu),/)) {
            kind = substr(rest, RSTART + 1, RLENGTH - 2)
            rest = substr(rest, RSTART + RLENGTH - 1)
        }
        print $1 "," $2 "," kind
    }' \
    "$report/variants.csv" >"$work/kinds"
none "$(cut -d , -f 3 "$work/kinds" | looked grep -vxE 'kernel|library|cpu')" \
    'every variant is a kernel, a library or the CPU'
# rows_of KIND...: prints the rows of these kinds of a table that begins with family and variant,
# and its header.
rows_of() {
    awk -F , -v kinds=" $* " '
        FNR == NR { if (index(kinds, " " $3 " ")) wanted[$1 "," $2] = 1; next }
        FNR == 1 || ($1 "," $2) in wanted' "$work/kinds" -
}
rows_of kernel library <"$metrics" >"$work/gpu.csv"
rows_of kernel <"$metrics" >"$work/kernels.csv"
rows_of cpu <"$metrics" >"$work/cpu.csv"
awk -F , 'NR == 1 || ($1 == "reduce" && $2 ~ /^0[1-7]_/)' "$metrics" >"$work/seven.csv"

# Instrumented code is not run for launches that take longer, in ns; "$work/slow" has their sizes.
slow=1e8
column "$work/kernels.csv" family size time_ns |
    awk -F '\t' -v OFS=, -v slow="$slow" '$3 > slow { print $1, $2 }' | sort -u >"$work/slow"
right=$(column "$report/points.csv" status | grep -cx ok)
is "$(column "$report/points.csv" status |
    grep -cvxE 'ok|skipped|wrong as expected|right by luck')" 0 \
    'every point was verified, skipped, or expected to fail'
none "$(column "$report/points.csv" status reason | looked grep -x "$(printf 'skipped\t')")" \
    '  with a reason'
is "$(column "$metrics" time_ns | grep -c .)" "$right" 'every verified point has a time'
none "$(column "$work/cpu.csv" time_ns time_warm_ns floor_pct launches |
    looked awk -F '\t' '($1 != $2 || $3 == "" || $4 != "")')" '  the warm one on the CPU'
none "$(column "$work/gpu.csv" variant load_excess_wavefronts store_excess_wavefronts \
    closed_form_excess_wavefronts wrong_pct matrix_excess_wavefronts |
    looked awk -F '\t' '$4 != "" && $2 + $3 + $6 != $4 && $5 == ""')" \
    'bank conflicts: the counts are those of the address maps, on every point that has one'
is "$(column "$work/seven.csv" closed_form_excess_wavefronts | grep -c .)" \
    "$(column "$work/seven.csv" variant | wc -l)" '  as the seven rungs have'
none "$(column "$work/seven.csv" variant shared_excess_wavefronts |
    looked awk -F '\t' '($1 == "02_interleaved_strided") != ($2 > 0)')" \
    '  of which only the strided one has any'
none "$(column "$work/seven.csv" variant shared_conflict_ways |
    looked awk -F '\t' '($1 == "02_interleaved_strided") != ($2 > 1)')" '  and pays for them'
none "$(column "$work/gpu.csv" shared_wavefronts_load closed_form_load_wavefronts \
    shared_wavefronts_store closed_form_store_wavefronts shared_matrix_load_wavefronts \
    closed_form_matrix_wavefronts time_ns |
    looked awk -F '\t' -v slow="$slow" '
        $7 > slow && $1 $3 $5 == "" { next }
        $2 != "" && ($1 != $2 || $3 != $4) || $6 != "" && $5 != $6')" \
    'wavefronts of loads and of stores follow from the addresses that kernels describe'
is "$(column "$work/kernels.csv" size effective_pct_peak |
    awk -F '\t' \
        '$1 == 536870912 && $2 > best { best = $2 } END { print (best >= 90 && best <= 100) }')" \
    1 \
    'the best kernel reaches 90 % of the bus at 2^29'
for name in branch_efficiency_pct achieved_occupancy_pct dram_pct_peak issue_slot_pct \
    warp_execution_efficiency_pct predicated_on_pct; do
    none "$(column "$work/seven.csv" variant "$name" | looked awk -F '\t' '$2 == ""')" \
        "$name is there on every point of the seven rungs"
    none "$(column "$work/gpu.csv" variant "$name" |
        looked awk -F '\t' '$2 != "" && ($2 < 0 || $2 > 100.05)')" \
        '  and a percentage wherever it is'
    none "$(column "$work/cpu.csv" "$name" | looked grep .)" \
        '  the CPU has no figures that only a GPU has'
done
none "$(column "$work/gpu.csv" theoretical_occupancy_pct achieved_occupancy_pct |
    looked awk -F '\t' '$1 != "" && $2 > $1 + 0.5')" 'no more warps than there is room for'
none "$(column "$metrics" time_low_ns time_ns time_high_ns |
    looked awk -F '\t' '!($1 + 0 <= $2 + 0 && $2 + 0 <= $3 + 0)')" \
    'every median lies in its interval'
none "$(column "$work/gpu.csv" size dram_read_per_useful_byte wrong_pct |
    looked awk -F '\t' '$1 == 536870912 && $3 == "" && ($2 < 0.99 || $2 > 1.2)')" \
    'at 2^29 every byte is read from device memory, about once'
column "$work/gpu.csv" variant wrong_pct | awk -F '\t' '$2 != "" { print $1 }' |
    sort -u >"$work/failing"
column "$report/steps.csv" variant evidence >"$work/evidence"
is "$(grep -vFf "$work/failing" "$work/evidence" |
    awk -F '\t' '$2 !~ /^(faster|slower|no evidence)$/' | wc -l)" 0 'every step was judged'
is "$(awk -F '\t' '$2 == "not measured" { print $1 }' "$work/evidence" | sort -u)" \
    "$(cat "$work/failing")" \
    '  but for the rungs that are expected to fail'
is "$(column "$report/series.csv" kind copy | grep -cx "end_to_end$(printf '\t')b")" \
    "$((right + $(column "$metrics" unguaranteed_time_ns | grep -c .)))" \
    'every timed point has its twin, for the noise floor'

# There is a verdict for every claim at every size that it is about.
claims=$(sed 1d "$report/claims.csv" | grep -c .)
is "$(column "$report/verdicts.csv" family variant claim | sort -u | wc -l)" \
    "$claims" 'every claim has a verdict'
verdict='confirmed|refuted|seen|not seen|undecided|not measurable here'
is "$(grep -cE ",($verdict)," "$report/verdicts.csv")" \
    "$(($(wc -l <"$report/verdicts.csv") - 1))" '  each has one of the six verdicts'
# A slice lacks sizes that claims are about.
grep -q '^slice_of: ' "$recorded/run.txt" ||
    is "$(grep ',not measurable here,' "$report/verdicts.csv" | grep -v 'the claim is about the ' |
        awk -F , 'FNR == NR { slow[$0] = 1; next } !(($1 "," $3) in slow)' "$work/slow" - |
        wc -l)" 0 \
        '  here all have what they need, except for claims about another device and slow launches'
none "$(grep ',undecided,' "$report/verdicts.csv" | looked grep -vE \
    'these do not decide it|not decided whether |the spread over their repeats could reverse it')" \
    '  and some differences are within the noise'
contains "$report/verdicts.csv" ',refuted,' '  some are refuted'
sed -nE 's/^.*,("[^"]*"|[^,"]*),[01]$/\1/p' "$report/verdicts.csv" >"$work/measured"
contains "$work/measured" '× to ' '  an interval has both its ends'
none "$(looked grep -E '[a-z]_[a-z]' <"$work/measured")" '  the evidence names no column'
# The levels by cause of each point sum to its clean time.
none "$(looked awk -F , "$by_name"'
    FNR == 1 { file++; next }
    { point = $1; for (i = 2; i <= at["device"]; i++) point = point "," $i; ns = $at["ns"] }
    file == 1 { sum[point] += ns; share[point] += $at["share_pct"] }
    file == 2 && $at["part"] == "elapsed" {
        judged++
        if (sum[point] / ns > 1.000001 || sum[point] / ns < 0.999999 || share[point] > 100.0001 ||
            share[point] < 99.9999)
            print point, sum[point], ns
    }
    END { if (!judged) print "no point has a ledger" }' \
    "$report/levels.csv" - <"$report/ledger.csv")" 'the levels by cause sum to the time'
# The sentences about the worth of ideas hold only numbers that are cells of their size. Cells
# before the last two hold no commas.
none "$(looked awk -F , '
    FNR == 1 { file++; next }
    {
        size = $1 "," $2
        for (i = 5; i <= 9; i++)
            if ($i != "") cell[size, sprintf("%.3f", $i)] = cell[size, sprintf("%.2f", $12)] = 1
    }
    file == 2 {
        sub(/^.*,(un)?resolved,/, "")
        gsub(/95 %/, "")
        while (match($0, /-?[0-9]+\.[0-9]+/)) {
            if (!((size, substr($0, RSTART, RLENGTH)) in cell))
                print size, substr($0, RSTART, RLENGTH)
            $0 = substr($0, RSTART + RLENGTH)
        }
    }' \
    "$report/ablation.csv" - <"$report/ablation.csv")" \
    'what ideas are worth: every number of a sentence is a cell of the table'
none "$(sed 1d "$report/ablation.csv" |
    looked awk -F , '$5 != "" && $6 != "" && !($6 <= $5 && $5 <= $7)')" '  every ratio lies in its interval'
# The speed-up over the library compares with the fastest one, whose own is 1; another library may
# be ahead in the rounds, but not beyond the noise.
none "$(column "$work/gpu.csv" speedup_library_low speedup_library speedup_library_high |
    looked awk -F '\t' '$2 != "" && !($1 + 0 <= $2 + 0 && $2 + 0 <= $3 + 0)')" \
    'every speed-up over a library lies in its interval'
rows_of library <"$metrics" >"$work/libraries.csv"
column "$work/libraries.csv" family size variant time_ns speedup_library speedup_library_low \
    speedup_library_high >"$work/libraries"
# In gemm_split, the library that is compared with computes with floats; others round their inputs.
awk -F '\t' '$1 != "gemm_split" || $3 == "90_cublas"' "$work/libraries" >"$work/compared"
none "$(looked awk -F '\t' '
    {
        at = $1 " " $2
        if (!(at in least) || $4 + 0 < least[at]) {
            least[at] = $4 + 0; own[at] = $5 " " $6 " " $7
        }
    }
    END { for (at in own) if (own[at] != "1 1 1") print at, own[at] }' <"$work/compared")" \
    '  of the fastest library over itself it is 1'
none "$(looked awk -F '\t' '$6 == "" || $6 > 1' <"$work/compared")" \
    '  and no library is faster than that beyond the noise'
is "$(cut -f 1 "$work/libraries" | sort -u | tr '\n' ' ')" \
    "$(awk -F , '$3 == "library" { print $1 }' "$work/kinds" | sort -u | tr '\n' ' ')" \
    '  in all families that have one'
finish
