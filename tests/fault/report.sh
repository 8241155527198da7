#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests that whatever call fails while a report is made, the program ends with one of its own exit
# codes and says why, and the earlier output is unchanged.
. "${ROOT:-.}/tests/tap.sh"
quick_gnuplot
library=$(preloaded "$WHYFAST")

# Two rungs of one family, one setting of the swept one, the library and the CPU, with the fewest
# samples that give an interval: every stage takes a few hundredths of a second.
small_run "$work/run"
for table in variants claims published points launches series samples counters; do
    awk -F , 'NR == 1 || ($1 == "reduce" && ($2 ~ /^(0[12]|9[01])_/ || ($2 ~ /^07_/ && $5 <= 1)))' \
        "$work/run/$table.csv" >"$work/cut"
    mv "$work/cut" "$work/run/$table.csv"
done
awk -F , 'NR == 1 || $1 == "reduce"' "$work/run/families.csv" >"$work/cut"
mv "$work/cut" "$work/run/families.csv"
is "$(awk -F , 'NR > 1 { print $2 }' "$work/run/points.csv" | sort -u | grep -cE '^0[127]_')" 3 \
    'three rungs are in the run'
sed -i '/07_/s/06_fully_unrolled/02_interleaved_strided/' "$work/run/variants.csv"
mkdir "$work/place"
place=$work/place
expect 0 'without a fault the report is made' "$WHYFAST" report "$work/run" -o "$place/out"
sums "$place" >"$work/new.sums"
mv "$place/out" "$work/new"
cp -R "$work/run" "$work/older"
echo 'remark: this is the earlier one' >>"$work/older/run.txt"
"$WHYFAST" report -q "$work/older" -o "$place/out" >/dev/null
sums "$place" >"$work/earlier.sums"
cp -R "$place" "$work/earlier"
result "$(
    cmp -s "$work/earlier.sums" "$work/new.sums"
    [ $? -eq 1 ]
    echo $?
)" \
    'the earlier output differs from the new one'

if ! LD_PRELOAD="$library" FAULT=malloc:0 FAULT_COUNT=$work/count "$WHYFAST" version \
    >/dev/null 2>"$work/err" ||
    [ ! -s "$work/count" ]; then
    skip "calls cannot be made to fail here: $(head -n 1 "$work/err")"
    finish
fi

# with_fault KIND:N: makes the report with this fault and sets $status to the exit status.
with_fault() {
    status=0
    LD_PRELOAD="$library" FAULT=$1 FAULT_COUNT=$work/count "$WHYFAST" report "$work/run" \
        -o "$place/out" >"$work/out" 2>"$work/err" ||
        status=$?
}

restore() {
    rm -rf "$place"
    cp -R "$work/earlier" "$place"
}

# judge: prints in a few words what is wrong with how the program ended after a fault, or nothing.
judge() {
    # These are left by the very last steps; the next program that writes there removes them.
    if grep -q 'out: is complete, but the earlier run could not be removed' "$work/err"; then
        rm -rf "$place/out/earlier.whyfast" "$place/out/journal.txt"
    fi
    sums "$place" >"$work/now"
    if [ "$status" -gt 5 ]; then
        echo "ends with $status"
    elif [ "$status" -eq 0 ]; then
        # An unreadable source file is not a failure: the report says so in place of its lines.
        cmp -s "$work/now" "$work/new.sums" ||
            grep -q 'cannot read: .*; its lines are shown without text' \
                "$place/out/method.html" ||
            echo 'reports success without it'
    elif [ ! -s "$work/err" ]; then
        echo "ends with $status and says nothing"
    elif [ ! -d "$place/out" ]; then
        echo 'loses the earlier output'
    else
        sums "$place/out" >"$work/now"
        sums "$work/earlier/out" | cmp -s - "$work/now" ||
            sums "$work/new" | cmp -s - "$work/now" ||
            echo 'leaves something between the earlier output and the new one'
    fi
}

# sweep KIND SUFFIX SAMPLES: plants that many faults, first at each of the first calls, then spread
# over all calls.
sweep() {
    with_fault "$1:0"
    is "$status" 0 "$1: the library alone changes nothing" || explain "$(cat "$work/err")"
    total=$(cat "$work/count")
    restore
    if [ "$total" -eq 0 ] && [ -n "$(sanitizer "$WHYFAST")" ]; then
        skip "$1$2: the address sanitizer has calls of its own"
        return
    fi
    awk -v total="$total" -v samples="$3" 'BEGIN {
        each = total <= samples ? total : int(samples / 3)
        for (n = 1; n <= each; n++) print n
        if (total > samples)
            for (i = 1; i <= samples - each; i++)
                print int(each + (total - each) * i / (samples - each))
    }' >"$work/numbers"
    : >"$work/wrong"
    failed=0
    while read -r number; do
        with_fault "$1:$number$2" </dev/null
        word=$(judge)
        [ "$status" -ne 0 ] && failed=$((failed + 1))
        if [ -n "$word" ]; then
            echo "call $number: $word: $(head -c 300 "$work/err" | tr '\n' ' ')" >>"$work/wrong"
        fi
        # Files left beside the output must not obstruct the next report.
        if [ "$status" -ne 0 ] && [ "$(ls "$place")" != out ]; then
            "$WHYFAST" report -q "$work/run" -o "$place/out" >/dev/null 2>"$work/err" ||
                echo "call $number: the next report fails: $(head -c 200 "$work/err")" \
                    >>"$work/wrong"
        fi
        sums "$place" | cmp -s - "$work/earlier.sums" || restore
    done <"$work/numbers"
    is "$(wc -l <"$work/wrong")" 0 \
        "$1$2: $(wc -l \
            <"$work/numbers") of $total calls fail, one at a time; $failed end the program" ||
        explain "$(head -n 8 "$work/wrong")"
    is "$((failed > 0))" 1 "$1$2: faults are felt"
}
sweep malloc '' "$(some 9 160)"
sweep malloc + "$(some 4 60)"
sweep fopen '' "$(some 5 80)"
sweep write '' "$(some 4 60)"
sweep fclose '' "$(some 4 60)"
sweep rename '' "$(some 4 60)"
sweep mkdir '' "$(some 4 20)"
sweep opendir '' "$(some 4 20)"
sweep fsync '' "$(some 4 40)"
sweep unlink '' "$(some 4 20)"
finish
