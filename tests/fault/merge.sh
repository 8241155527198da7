#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests that whatever call fails while runs are merged, the program ends with one of its own exit
# codes and says why, and leaves either the whole result or nothing that is in the way.
. "${ROOT:-.}/tests/tap.sh"
library=$(preloaded "$WHYFAST")

# Two parts of the run of one device, and a run of another.
small_run "$work/first"
sed -i '/^replay_of: /d' "$work/first/run.txt"
for table in points launches series samples counters; do
    awk -F , 'NR == 1 || ($1 == "reduce" && $2 ~ /^0[1-4]_/)' "$work/first/$table.csv" >"$work/cut"
    mv "$work/cut" "$work/first/$table.csv"
done
for table in lines kernels accesses sources source_files traces activities trace_samples; do
    [ ! -e "$work/first/$table.csv" ] || sed -i 2,\$d "$work/first/$table.csv"
done
cp -R "$work/first" "$work/second"
cp -R "$work/first" "$work/other"
sed -i 's/^device_uuid: .*/device_uuid: 0123/' "$work/other/run.txt"
sed -i 's/^date: .*/date: 2026-01-01T00:00:00Z/' "$work/second/run.txt"
for table in points launches series samples counters; do
    sed -i '/^reduce,0[12]_/d' "$work/first/$table.csv"
    sed -i '/^reduce,0[34]_/d' "$work/second/$table.csv"
done
mkdir "$work/place"
place=$work/place

# with_fault KIND:N: merges with this fault and sets $status to the exit status.
with_fault() {
    status=0
    LD_PRELOAD="$library" FAULT=$1 FAULT_COUNT=$work/count "$WHYFAST" merge "$work/first" \
        "$work/second" "$work/other" -o "$place/out" >"$work/out" 2>"$work/err" ||
        status=$?
}
expect 0 'without a fault the runs are merged' "$WHYFAST" merge "$work/first" "$work/second" \
    "$work/other" -o "$place/out"
sums "$place/out" >"$work/whole.sums"
sums "$place/out/devices" >"$work/devices.sums"
rm -r "$place/out"
if ! LD_PRELOAD="$library" FAULT=malloc:0 FAULT_COUNT=$work/count "$WHYFAST" version \
    >/dev/null 2>"$work/err" ||
    [ ! -s "$work/count" ]; then
    skip "calls cannot be made to fail here: $(head -n 1 "$work/err")"
    finish
fi

# judge: prints in a few words what is wrong with how the program ended after a fault, or nothing.
# The page of the boards is written when the merged run is in its place.
judge() {
    if [ "$status" -gt 5 ]; then
        echo "ends with $status"
    elif [ "$status" -eq 0 ]; then
        sums "$place/out" | cmp -s - "$work/whole.sums" || echo 'reports success without it'
    elif [ ! -s "$work/err" ]; then
        echo "ends with $status and says nothing"
    elif [ -d "$place/out" ]; then
        sums "$place/out/devices" | cmp -s - "$work/devices.sums" || echo 'leaves half a result'
    fi
}

# sweep KIND SAMPLES: plants that many faults, spread over all calls.
sweep() {
    with_fault "$1:0"
    rm -rf "$place/out"
    awk -v total="$(cat "$work/count")" -v samples="$2" 'BEGIN {
        step = total > samples ? total / samples : 1
        for (n = 1; n <= total; n += step) print int(n)
    }' >"$work/numbers"
    : >"$work/wrong"
    failed=0
    while read -r number; do
        with_fault "$1:$number" </dev/null
        word=$(judge)
        [ "$status" -ne 0 ] && failed=$((failed + 1))
        if [ -n "$word" ]; then
            echo "call $number: $word: $(head -c 300 "$work/err" | tr '\n' ' ')" >>"$work/wrong"
        fi
        rm -rf "$place/out"
        # What is left beside the output must not obstruct the next start.
        if [ -e "$place/out.part" ]; then
            "$WHYFAST" merge -q "$work/first" "$work/second" "$work/other" -o "$place/out" \
                >/dev/null 2>"$work/err" ||
                echo "call $number: the next start fails: $(head -c 200 "$work/err")" \
                    >>"$work/wrong"
            rm -rf "$place/out"
        fi
    done <"$work/numbers"
    is "$(wc -l <"$work/wrong")" 0 \
        "$1: $(wc -l <"$work/numbers") calls fail, one at a time; $failed end the program" ||
        explain "$(head -n 8 "$work/wrong")"
    is "$((failed > 0))" 1 "$1: faults are felt"
}
sweep malloc "$(some 40 200)"
sweep fopen "$(some 24 100)"
sweep write "$(some 16 60)"
sweep fclose "$(some 16 60)"
sweep rename "$(some 9 40)"
sweep mkdir "$(some 6 20)"
sweep fsync "$(some 12 40)"
sweep unlink "$(some 6 20)"
is "$(ls "$place")" '' 'failed merges leave nothing'
finish
