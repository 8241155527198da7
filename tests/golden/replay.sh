#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# The newest recorded run: what must hold of it whatever its figures, and of the report that is made from it.
. "${ROOT:-.}/tests/tap.sh"
recorded=$(newest_recorded)
report=$work/report

# ---- the replay -----------------------------------------------------------------------------------------------------------------------------------

expect 0 'replay' "$WHYFAST" report --replay -o "$report"
is "$(head -n 1 "$work/out" | grep -c "^Replaying the recorded run $(basename "$recorded") .*: nothing was measured on this machine")" 1 '  its first line says so'
is "$(sed -n '$p' "$work/out")" "$report/report.html" '  its last names the report'
is "$(cat "$work/err")" '' '  nothing to complain of'
for file in report.html report.md; do
    contains "$report/$file" "$(basename "$recorded")" "$file names the run"
    is "$(sed '/<h2\|^## /,$d' "$report/$file" | grep -c 'nothing was measured on this machine')" 1 '  and says at its head that it is a replay'
done
expect 0 'a report of one'\''s own run' "$WHYFAST" report "$recorded" -o "$work/own"
lacks "$work/own/report.md" 'nothing was measured on this machine' '  is no replay'
for table in $raw_tables; do
    cmp -s "$recorded/$table.csv" "$report/$table.csv"
    result $? "$table.csv is that of the recorded run"
done
expect 0 'replay again' "$WHYFAST" report --replay -o "$work/again"
rm -f "$report"/charts/*.png "$work"/again/charts/*.png
sums "$report" >"$work/one"
sums "$work/again" | sed "s|$work/again|$report|" | cmp -s - "$work/one"
result $? '  gives the same, to the byte'

# ---- the pictures -----------------------------------------------------------------------------------------------------------------------------------

charts=$(($(wc -l <"$report/charts.csv") - 1))
is "$(sed 1d "$report/charts.csv" | cut -d , -f 2 | sort -u | wc -l)" "$(find "$ROOT/plots" -name '*.gp' ! -name style.gp | wc -l)" 'every script under plots/ draws'
is "$((charts >= 7))" 1 'at least seven charts'
for chart in $(sed 1d "$report/charts.csv" | cut -d , -f 1); do
    is "$(grep -c '</svg>' "$report/charts/$chart.svg")" 1 "$chart.svg is whole"
    is "$(($(wc -l <"$report/charts/$chart.csv") > 1))" 1 '  and has rows'
done
if command -v xmllint >/dev/null; then
    xmllint --noout "$report"/charts/*.svg 2>"$work/err"
    result $? 'the pictures are XML' || explain "$(head -n 3 "$work/err")"
else
    skip 'xmllint is not here to read the pictures'
fi
is "$(grep -il '<script\|href="http\|javascript:' "$report"/charts/*.svg | wc -l)" 0 'no script and no address in them'

# ---- the report ---------------------------------------------------------------------------------------------------------------------------------------

html=$report/report.html
is "$(grep -c '<img ' "$html" | awk '{ print ($1 > 0) }')" 1 'the HTML has pictures'
is "$(grep -o '<img [^>]*src="data:image/svg+xml;base64,' "$html" | wc -l)" "$charts" '  each chart once, inside'
is "$(grep -o '<img ' "$html" | wc -l)" "$charts" '  and no other'
is "$(grep -o '<img alt="[^"][^"]*"' "$html" | wc -l)" "$charts" '  each with words in its place'
for file in "$html" "$report/report.md"; do
    name=$(basename "$file")
    lacks "$file" '{{' "$name: every placeholder is filled"
    lacks "$file" '}}' '  to its end'
    lacks "$file" '<script' '  no script'
    lacks "$file" 'NaN' '  no NaN'
    lacks "$file" '(null)' '  no (null)'
done
is "$(grep -ioE '(src|srcset|poster|action)="[^"]{0,9}|url\([^)]{0,9}|@import.{0,9}|<(link|iframe|object|embed|base) ' "$html" | grep -v 'src="data:imag' | head -n 3)" '' 'the HTML loads nothing from elsewhere'
is "$(head -c 15 "$html" | tr '[:upper:]' '[:lower:]')" '<!doctype html>' 'it is HTML 5'
contains "$html" '<meta charset="utf-8">' '  in UTF-8'
contains "$html" 'lang="en"' '  and says its language'
is "$(grep -c '</html>' "$html")" 1 '  and ends'
for tag in html head body table thead tbody tr td th figure section details h1 h2 h3 p ul ol li div span title style summary figcaption; do
    opened=$(grep -oE "<$tag( [^>]*)?>" "$html" | wc -l)
    closed=$(grep -o "</$tag>" "$html" | wc -l)
    # HTML lets the ends of some be left out; then none may be there.
    case $tag in
    li | p | td | th | tr | thead | tbody | html | head | body) [ "$closed" -eq 0 ] && [ "$tag" != html ] && continue ;;
    esac
    is "$opened" "$closed" "  every <$tag> is closed"
done
is "$(grep -oE '[ "]id="[^"]*"' "$html" | sort | uniq -d)" '' '  no id twice'
for target in $(grep -oE 'href="#[^"]*"' "$html" | sed 's/href="#\(.*\)"/\1/' | sort -u); do
    contains "$html" "id=\"$target\"" "  #$target is there"
done
is "$(grep -o '](charts/[^)]*)' "$report/report.md" | wc -l)" "$charts" 'the Markdown shows each chart'
for picture in $(grep -o '](charts/[^)]*)' "$report/report.md" | sed 's/](\(.*\))/\1/'); do
    [ -s "$report/$picture" ] || result 1 "  $picture is there"
done

# ---- the figures: what must hold of every good run --------------------------------------------------------------------------------------------------------

# column FILE NAME...: these columns, separated by tabs; cells of the run's tables that are asked for here hold neither commas nor line feeds.
column() {
    file=$1
    shift
    awk -F , -v names="$*" 'NR == 1 { n = split(names, name, " "); for (i = 1; i <= NF; i++) at[$i] = i; for (k = 1; k <= n; k++) if (!(name[k] in at)) { print "no column " name[k]; exit } next }
        { row = ""; for (k = 1; k <= n; k++) row = row (k > 1 ? "\t" : "") $at[name[k]]; print row }' "$file"
}
metrics=$report/metrics.csv
is "$(column "$report/points.csv" status | sort -u)" ok 'every point was verified'
is "$(column "$metrics" time_ns | grep -c .)" "$(column "$report/points.csv" variant | wc -l)" 'every point has a time'
is "$(column "$metrics" variant shared_excess_wavefronts closed_form_excess_wavefronts | awk -F '\t' '$2 == "" || $3 == "" || $2 != $3')" '' \
    'bank conflicts: what was counted is what the address maps foretell, on every point'
is "$(column "$metrics" variant shared_excess_wavefronts | awk -F '\t' '($1 == "02_interleaved_strided") != ($2 > 0)')" '' '  only the strided rung has any'
is "$(column "$metrics" variant shared_conflict_ways | awk -F '\t' '($1 == "02_interleaved_strided") != ($2 > 1)')" '' '  and pays for them'
last=$(column "$report/variants.csv" variant | sort | tail -n 1)
best=$(column "$metrics" variant size best effective_pct_peak | awk -F '\t' -v last="$last" '$1 == last && $2 == 536870912 && $3 == 1 { print ($4 >= 90 && $4 <= 100) }')
is "$best" 1 'the last rung reaches 90 % of the bus at 2^29'
for name in branch_efficiency_pct achieved_occupancy_pct dram_pct_peak issue_slot_pct warp_execution_efficiency_pct predicated_on_pct; do
    is "$(column "$metrics" variant "$name" | awk -F '\t' '$2 == "" || $2 < 0 || $2 > 100.05')" '' "$name is there and a percentage on every point"
done
is "$(column "$metrics" variant theoretical_occupancy_pct achieved_occupancy_pct | awk -F '\t' '$3 > $2 + 0.5')" '' 'no more warps than there is room for'
is "$(column "$metrics" time_low_ns time_ns time_high_ns | awk -F '\t' '!($1 <= $2 && $2 <= $3)')" '' 'every median lies in its interval'
is "$(column "$metrics" size dram_read_per_useful_byte | awk -F '\t' '$1 == 536870912 && ($2 < 0.99 || $2 > 1.2)')" '' 'at 2^29 every byte is read from device memory, about once'
is "$(column "$report/steps.csv" evidence | grep -cvE '^(faster|slower|no evidence)$')" 0 'every step was judged'
is "$(column "$report/series.csv" kind copy l2 | awk -F '\t' '$1 == "end_to_end" && $2 == "b" && $3 == "cold"' | wc -l)" "$(column "$report/points.csv" variant | wc -l)" 'every point has its twin, for the noise floor'

# A verdict for every claim at every size that it speaks of.
claims=$(sed 1d "$report/claims.csv" | grep -c .)
is "$(awk -F , 'NR > 1 { print $2 "\t" $6 }' "$report/verdicts.csv" | sort -u | wc -l)" "$claims" 'every claim has a verdict'
is "$(grep -cE ',(confirmed|refuted|not measurable),' "$report/verdicts.csv")" "$(($(wc -l <"$report/verdicts.csv") - 1))" '  confirmed, refuted or not measurable'
is "$(grep -cE ',not measurable,' "$report/verdicts.csv")" 0 '  here all are measurable'
contains "$report/verdicts.csv" ',refuted,' '  some are refuted'
contains "$report/findings.csv" ',conflicts_came,' 'the conflicts of the strided rung are found'
contains "$report/findings.csv" ',conflicts_gone,' '  and that they go'
contains "$report/findings.csv" ',dram_bound,' 'the last rung is found to be bound by memory'
finish
