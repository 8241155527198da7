#!/bin/sh
# One whole run, as 'whyfast report' makes it on a machine with a GPU: how long it takes, what it must hold. Keeps the run in $RUN when that is
# set, else in a temporary directory. Prints TAP. (Without gnuplot on the machine the run has no charts; that is no failure here.)
set -u
place=${RUN:-$(mktemp -d)/run}
count=0
report() { # report STATUS WORDS
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}
# holds EXPRESSION WORDS NUMBER: awk's view of a number
holds() { awk -v x="$3" "BEGIN { exit !(x != \"\" && ($1)) }"; report $? "$2: $3"; }

start=$(date +%s.%N)
"$WHYFAST" report -o "$place" 2>&1 | sed 's/^/# /'
end=$(date +%s.%N)
[ -f "$place/report.html" ]
report $? "the run is complete"
holds 'x < 60' 'seconds for both sizes, all rungs and the sweep, cold and warm, all counters (< 60)' "$(echo "$start $end" | awk '{ printf "%.1f", $2 - $1 }')"

metric() { "$WHYFAST" evaluate "$place" --metric "$1" 2>/dev/null; }
floor=$(metric floor_pct | awk -F, '$3 == 536870912 && $6 > most { most = $6 } END { print most }')
holds 'x < 0.5' 'A/A floor at 2^29, %, the largest of all points (< 0.5)' "$floor"
best=$(metric effective_pct_peak | awk -F, '$2 ~ /^07_/ && $3 == 536870912 && $6 > most { most = $6 } END { print most }')
holds 'x >= 90' 'best setting of the last step at 2^29, % of the DRAM bus peak (>= 90)' "$best"
wrong=$(metric shared_excess_wavefronts,closed_form_excess_wavefronts | awk -F, 'NR > 1 && ($6 == "" || $6 != $7) { print $2, $3, $5, $6, $7 }')
[ -z "$wrong" ]
report $? "shared_excess_wavefronts equals its closed form on every point $wrong"
conflicts=$(metric shared_excess_wavefronts | awk -F, 'NR > 1 && (($2 ~ /^02_/) != ($6 > 0)) { print $2, $3, $5, $6 }')
[ -z "$conflicts" ]
report $? "excess only in the strided step $conflicts"
absent=$(grep -c 'absent' "$place/counters.csv")
[ "$absent" -eq 0 ] || grep 'absent' "$place/counters.csv" | cut -d, -f 10,11,13- | sort | uniq -c | sed 's/^/# /'
throttled=$(awk -F, 'NR > 1 { sum += $10 } END { print sum }' "$place/series.csv")
echo "# absent counter values: $absent; throttled samples: $throttled"
echo "1..$count"
