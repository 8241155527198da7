#!/bin/sh
# Tests on a GPU that the starts with counters of `whyfast run` take at most half of the time that
# Nsight Compute takes for the same counters of the same kernels, once each, and that the counts are
# the same. Also prints how long the program takes alone, and Nsight Compute for all launches, which
# is ended after a while; then it took at least as long, and the counts are not compared. Set
# PROGRAMS to "cpp torch" or to one of them.
. "${ROOT:-.}/tests/gpu/programs.inc"
if ! command -v ncu >/dev/null; then
    skip 'ncu is not on the PATH'
    finish
fi

MOST_SECONDS=15     # of Nsight Compute for all launches
MOST_SECONDS_ONE=40 # and for one launch of each kernel

# under_ncu LOG OPTION... PROGRAM ARGUMENT...: prints how long ncu takes for the metrics.
under_ncu() {
    log=$1
    shift
    begun=$(now)
    timeout "$limit" ncu --clock-control none --cache-control none \
        --kernel-name-base mangled --print-kernel-base mangled --metrics "$metrics" --csv \
        --page raw --print-units base --log-file "$log" "$@" >ncu.out 2>&1 ||
        explain "ncu ended with $?: $(tail -n 3 ncu.out "$log")" || :
    passed "$begun"
}

# compare NAME OPTION... -- PROGRAM ARGUMENT...: runs the program under both tools.
compare() {
    target=$1
    shift
    begun=$(now)
    expect 0 "$target is watched" "$WHYFAST" run -v -o "$target.run" "$@"
    whole=$(passed "$begun")
    cp "$work/err" "$target.err"
    grep -h 'start [0-9]*, for' "$target.err" | sed 's/^/#     /' >&2
    while [ "$1" != -- ]; do shift; done
    shift
    ours=$(sed -n 's/.*start [0-9]*, for counters, took \([0-9.]*\) s.*/\1/p' "$target.err" |
        awk '{ sum += $1 } END { print sum + 0 }')
    metrics=$(column "$target.run/counters.csv" source status | awk '$2 == "ok" { print $1 }' |
        sort -u | paste -s -d, -)
    symbols=$(column "$target.run/kernels.csv" symbol | sort -u | paste -s -d'|' -)
    kernels=$(column "$target.run/kernels.csv" symbol | wc -l)
    explain "$target: $kernels kernels, $(echo "$metrics" | tr ',' '\n' | wc -l) counters" || :
    begun=$(now)
    "$@" >/dev/null 2>&1
    alone=$(passed "$begun")
    # The second launch of each kernel, if the program launches them in turn.
    theirs=$(limit=$MOST_SECONDS_ONE under_ncu "$target.ncu" --kernel-name "regex:^($symbols)\$" \
        --launch-skip "$kernels" --launch-count "$kernels" "$@")
    every=$(limit=$MOST_SECONDS under_ncu every.ncu "$@")
    explain "$target: $alone s alone, starts with counters $ours s, the whole run $whole s;" \
        "ncu $theirs s for one launch of each kernel," \
        "$every s for all (at most $MOST_SECONDS s)" || :
    result "$(awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(a > 0 && a <= b / 2) }'; echo $?)" \
        "$target: the counters cost $ours s, ncu $theirs s" || :
    if awk -v t="$theirs" -v most=$MOST_SECONDS_ONE 'BEGIN { exit !(t < most) }'; then
        values "$target"
    else
        skip "$target: the counts, because ncu was ended"
    fi
}

# values NAME: compares the counters of both.
values() {
    column "$1.run/kernels.csv" variant symbol | tr '\t' ' ' >symbols
    column "$1.run/counters.csv" variant source value status | awk '$4 == "ok"' | tr '\t' ' ' >ours
    awk -F '","' '
        FILENAME == "symbols" { split($0, word, " "); symbol[word[1]] = word[2]; next }
        FILENAME == "ours" {
            split($0, word, " ")
            ours[symbol[word[1]] " " word[2]] = word[3]
            next
        }
        !/^"/ { next }
        { sub(/^"/, ""); sub(/"$/, ""); $0 = $0 }
        $1 == "ID" {
            for (i = 1; i <= NF; i++) { name[i] = $i; if ($i == "Kernel Name") named = i }
            next
        }
        $1 == "" { next }
        {
            kernel = $named
            sub(/\(.*/, "", kernel)
            for (i = 1; i <= NF; i++) {
                value = $i
                gsub(/,/, "", value)
                key = kernel " " name[i]
                if (!(key in ours) || value == "") continue
                compared++
                difference = ours[key] - value
                if (difference < 0) difference = -difference
                if (difference <= 1e-5 * (value < 0 ? -value : value)) same++
                else if (name[i] ~ /sass|inst_executed/ && name[i] !~ /pct|peak|per_second|ratio/) {
                    wrong++
                    print "# differs: " key ": " ours[key] " against " value
                } else print "# " key ": " ours[key] ", ncu " value
            }
        }
        END { print compared + 0, same + 0, wrong + 0 }' symbols ours "$1.ncu" >compared
    sed '$d' compared
    read -r compared same wrong <<EOF
$(tail -n 1 compared)
EOF
    result "$([ "$compared" -gt 100 ] && [ "$wrong" -eq 0 ]; echo $?)" \
        "  of $compared counters $same are equal, and no count of instructions differs"
}

for program in ${PROGRAMS:-cpp torch}; do
    if [ "$program" = cpp ]; then
        compile -o static "$programs/targets.cu" || exit 1
        compare cpp -- ./static plain 12
    elif python3 -c 'import torch' 2>/dev/null; then
        compare torch --range 'step #' -- python3 "$programs/torch_loop.py"
        is "$(counters torch.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' \
            '  every counter has a value'
    else
        skip 'PyTorch is missing'
    fi
done
finish
