#!/bin/sh
# Tests on a GPU what one look by `whyfast run` costs, and that replayed launches have the counts of
# launches that are not replayed, and of Nsight Compute. Prints one line for each bar.
. "${ROOT:-.}/tests/gpu/run_cost.inc"

# The counts that a replay leaves alone.
count_names='sass|inst_executed|data_pipe_lsu_wavefronts_mem_shared_op'

# values RUN: prints "counter value" for each counter of `interest` that has a value.
values() {
    column "$1/counters.csv" variant source value status |
        awk -F '\t' '$1 ~ /interest/ && $4 == "ok" { print $2, $3 }' | sort -u
}

# compare WHAT OURS THEIRS: passes if all counts are equal; prints up to 60 others that are not.
compare() {
    join "$2" "$3" | awk -v counts="$count_names" '
        {
            all++
            d = $2 - $3
            if (d < 0) d = -d
            if (d <= 1e-6 * ($3 < 0 ? -$3 : $3)) { same++; next }
            is_count = $1 ~ counts && $1 !~ /pct|peak|per_second|ratio/
            wrong += is_count
            if (is_count || shown++ < 60) print "#     " (is_count ? "WRONG " : "") $0
        }
        END { print all + 0, same + 0, wrong + 0 }' >compared
    sed '$d' compared
    read -r all same wrong <<END
$(tail -n 1 compared)
END
    result "$([ "$all" -gt 40 ] && [ "$wrong" -eq 0 ]; echo $?)" \
        "$1: of $all counters $same are equal, and $wrong counts differ" || :
}

# nearly NAME OURS THEIRS: passes if they differ by at most 5 % and 1 MB: what caches do by chance.
nearly() {
    ours=$(awk -v n="$1" '$1 == n { print $2 }' "$2")
    theirs=$(awk -v n="$1" '$1 == n { print $2 }' "$3")
    result "$(awk -v a="$ours" -v b="$theirs" 'BEGIN {
        d = a > b ? a - b : b - a
        exit !(a != "" && b != "" && d <= 0.05 * b + 1e6)
    }'; echo $?)" "$1: $ours by replay, $theirs without it" || :
}

compile -o once "$programs/once.cu" || exit 1
begun=$(now)
./once >plain.txt
alone=$(passed "$begun")
explain "the program alone takes $alone s and prints $(cat plain.txt)" || :

# ---- ceilings ------------------------------------------------------------------------------------

look ceilings 120 --once -- ./once
first=$took
look kept 120 --once -- ./once
result "$(at_most "$took" "$(awk -v t="$first" 'BEGIN { print t - 1.5 }')"; echo $?)" \
    "kept ceilings save time: $first s, then $took s" || :
is "$(cut -d , -f 4 kept/ceilings.csv)" "$(cut -d , -f 4 ceilings/ceilings.csv)" \
    '  and are the same' || :

# ---- one kernel ----------------------------------------------------------------------------------

look replayed 120 --kernel interest -- ./once
ours=$took
result "$([ -n "$(fact replayed counters_replayed)" ]; echo $?)" \
    "the kernel is replayed: $(fact replayed counters_replayed)" || :
is "$(cat replayed.out)" "$(cat plain.txt)" '  with the output of the program' || :
is "$(fact replayed program_repeats)" 'yes: status and output are the same in all later starts' \
    '  in all starts' || :
is "$starts" 5 '  in five starts' || :
if has_ncu; then
    under_ncu full 120 --set full --kernel-name interest --launch-count 1 ./once
    result "$(at_most "$ours" "$took"; echo $?)" \
        "one kernel: run takes $ours s, ncu --set full $took s" || :
    budget=$took
else
    skip 'ncu is not on the PATH'
    budget=7
fi
replay=
look single 180 --kernel interest -- ./once
replay=--replay-launches
explain "without replay: $took s" || :
values replayed >replayed.values
values single >single.values
compare 'replayed against one pass of each launch' replayed.values single.values
for metric in dram__bytes_read.sum dram__bytes_write.sum lts__t_bytes.sum; do
    nearly $metric replayed.values single.values
done
is "$(column replayed/counters.csv source status | awk -F '\t' '$2 ~ /falsify/ { print $1 }')" '' \
    'nothing is absent because a replay would falsify it' || :
if has_ncu; then
    metrics=$(cut -d ' ' -f 1 replayed.values | paste -s -d, -)
    under_ncu counts 120 --cache-control none --clock-control none --metrics "$metrics" \
        --kernel-name interest --launch-count 1 ./once
    awk -F '","' '/^"/ { sub(/^"/, ""); sub(/"$/, ""); $0 = $0 }
        $1 == "ID" { for (i = 1; i <= NF; i++) name[i] = $i; next }
        NF > 5 && $1 != "" { for (i = 1; i <= NF; i++) { gsub(/,/, "", $i); if (name[i] ~ /__/ && $i != "") print name[i], $i } }' \
        counts.ncu | sort -u >ncu.values
    compare 'replayed against ncu' replayed.values ncu.values
fi
look limited 60 --kernel interest --budget "$budget" -- ./once
awk '{ print }' limited/run.txt | grep -h '^counters' | cut -c 1-150 | sed 's/^/#     /'
result "$(at_most "$took" "$(awk -v b="$budget" 'BEGIN { print b + 2 }')"; echo $?)" \
    "--budget $budget: $took s, with the evaluation of the run" || :

# ---- all kernels ---------------------------------------------------------------------------------

look both 180 --kernel . -- ./once
result "$(at_most "$took" 20; echo $?)" "one kernel of one launch beside one of 51: $took s of 29" || :
is "$(column both/counters.csv variant status | awk -F '\t' '$1 ~ /often|interest/ { print $2 }' |
    sort -u)" ok '  every counter has a value' || :

# ---- what cannot be replayed ---------------------------------------------------------------------

look cooperative 240 --kernel interest -- ./once cooperative
contains cooperative.err 'a cooperative launch is not replayed' 'a cooperative launch' || :
is "$(column cooperative/counters.csv status | sort -u | head -n 1)" ok '  has its counters' || :
./once pinned >plain.txt
look pinned 240 --kernel interest -- ./once pinned
is "$(cat pinned.out)" "$(cat plain.txt)" "memory of the host: the program's output is its own" || :
result "$(grep -q 'could not be replayed' pinned.err ||
    cmp -s pinned/output/3.stdout plain.txt; echo $?)" \
    '  and a replay that changes it is noticed' || :
explain "$(fact pinned program_repeats | cut -c 1-150)" || :
is "$(column pinned/counters.csv status | sort -u | head -n 1)" ok '  and it has counters' || :

# ---- the first table -----------------------------------------------------------------------------

{ timeout 60 "$WHYFAST" run -o table --kernel interest -- ./once 2>&1 >/dev/null; } |
    while IFS= read -r line; do echo "$(now) $line"; done >lines.txt
awk '/the first start took/ { first = $1 } /rank  launches/ && !table { table = $1 } END {
    printf "%.2f\n", table - first }' lines.txt >late
result "$(at_most "$(awk '{ print $1 + 0.01 }' late)" 10; echo $?)" \
    "the first table appears $(cat late) s after the first start" || :
finish
