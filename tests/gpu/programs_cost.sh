#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests on a GPU that the starts with counters of `whyfast run` take at most half of the time that
# Nsight Compute takes for the same counters of the same kernels, once each, and that the counts are
# the same. Set PROGRAMS to "cpp torch" or to one of them.
. "${ROOT:-.}/tests/gpu/programs.inc"
if ! command -v ncu >/dev/null; then
    skip 'ncu is not on the PATH'
    finish
fi
seconds() { date +%s.%N; }
# passed FROM TO: prints the seconds between.
passed() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", b - a }'; }

# compare NAME COMMAND...: runs the command under both tools.
compare() {
    name=$1
    shift
    begun=$(seconds)
    expect 0 "$name is watched" "$WHYFAST" run -v -o "$name.run" -- "$@"
    whole=$(passed "$begun" "$(seconds)")
    cp "$work/err" "$name.err"
    # The starts with counters are those between the two for times and the ones for instructions.
    functions=$(column "$name.run/kernels.csv" counts_status | grep -c ok)
    starts=$(sed -n 's/^program_starts: //p' "$name.run/run.txt")
    ours=$(sed -n 's/.*start \([0-9]*\) took \([0-9.]*\) s.*/\1 \2/p' "$name.err" |
        awk -v last=$((starts - functions)) '$1 > 1 && $1 < last { sum += $2 } END { print sum }')
    metrics=$(column "$name.run/counters.csv" source status | awk '$2 == "ok" { print $1 }' |
        sort -u | paste -s -d, -)
    symbols=$(column "$name.run/kernels.csv" symbol | sort -u | paste -s -d'|' -)
    kernels=$(column "$name.run/kernels.csv" symbol | wc -l)
    begun=$(seconds)
    # The second launch of each kernel, if the program launches them in turn.
    ncu --clock-control none --cache-control none --kernel-name-base mangled \
        --print-kernel-base mangled --kernel-name "regex:^($symbols)\$" \
        --launch-skip "$kernels" --launch-count "$kernels" --metrics "$metrics" --csv --page raw \
        --print-units base --log-file "$name.ncu" "$@" >/dev/null 2>&1 ||
        explain "$(tail -n 3 "$name.ncu")"
    theirs=$(passed "$begun" "$(seconds)")
    explain "$name: starts with counters $ours s, whole run $whole s in $starts starts," \
        "ncu $theirs s"
    result "$(awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(a > 0 && a <= b / 2) }'; echo $?)" \
        "$name: the counters cost $ours s, ncu $theirs s"
    values "$name"
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
    if [ $program = cpp ]; then
        compile -o static "$programs/targets.cu" || exit 1
        compare cpp ./static plain 12
    elif python3 -c 'import torch' 2>/dev/null; then
        compare torch python3 "$programs/torch_loop.py"
    else
        skip 'PyTorch is missing'
    fi
done
finish
