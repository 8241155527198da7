#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests that whatever call fails while a trace is written, the program ends with one of its own exit
# codes and says why, and the earlier trace is unchanged.
. "${ROOT:-.}/tests/tap.sh"
library=$(preloaded "$WHYFAST")

small_run "$work/run"
for table in variants claims published points launches series samples counters; do
    awk -F , 'NR == 1 || ($1 == "reduce" && $2 ~ /^0[23]_/)' "$work/run/$table.csv" >"$work/cut"
    mv "$work/cut" "$work/run/$table.csv"
done
printf '%s\n' 'stage,family,size,begin_ns,end_ns' \
    'timeline,reduce,4194304,10000,90000' >"$work/run/stages.csv"
cat >"$work/run/traces.csv" <<'END'
trace,family,variant,size,block,sweep,counter_set,begin_ns,end_ns,repeats,interval_ns,trigger,activities_status,samples_status
0,reduce,03_sequential,4194304,256,0,timeline,40000,60000,1,2000,time,ok,ok
END
cat >"$work/run/activities.csv" <<'END'
trace,repeat,launch,kernel,begin_ns,end_ns,grid_x,grid_y,grid_z,block_x,block_y,block_z,registers,static_shared_bytes,dynamic_shared_bytes,stream
0,0,0,reduce_sequential,4500,6500,8,1,1,256,1,1,12,0,1024,7
END
printf '%s\n' 'trace,sample,begin_ns,end_ns,track,value' '0,0,3000,5000,dram_read,100' \
    '0,1,5000,7000,dram_read,8000' '0,2,7000,9000,dram_read,0' \
    '0,0,3000,5000,resident_warps,0' '0,1,5000,7000,resident_warps,8' \
    '0,2,7000,9000,resident_warps,0' >"$work/run/trace_samples.csv"
"$WHYFAST" evaluate -q "$work/run"
mkdir "$work/place"
trace=$work/place/trace.json
expect 0 'without a fault the trace is written' "$WHYFAST" timeline "$work/run" -o "$trace"
mv "$trace" "$work/new"
echo 'the earlier one' >"$work/earlier"

if ! LD_PRELOAD="$library" FAULT=malloc:0 FAULT_COUNT=$work/count "$WHYFAST" version \
    >/dev/null 2>"$work/err" ||
    [ ! -s "$work/count" ]; then
    skip "calls cannot be made to fail here: $(head -n 1 "$work/err")"
    finish
fi

# with_fault KIND:N: writes the trace with this fault and sets $status to the exit status.
with_fault() {
    cp "$work/earlier" "$trace"
    status=0
    LD_PRELOAD="$library" FAULT=$1 FAULT_COUNT=$work/count "$WHYFAST" timeline "$work/run" \
        -o "$trace" >"$work/out" 2>"$work/err" ||
        status=$?
}

# judge: prints in a few words what is wrong with how the program ended, or nothing.
judge() {
    if [ "$status" -gt 5 ]; then
        echo "ends with $status"
    elif [ "$status" -eq 0 ]; then
        cmp -s "$trace" "$work/new" || echo 'reports success without it'
    elif [ ! -s "$work/err" ]; then
        echo "ends with $status and says nothing"
    elif ! cmp -s "$trace" "$work/earlier"; then
        echo 'loses the earlier trace'
    fi
    [ "$(ls -A "$work/place")" = trace.json ] || echo 'leaves something beside it'
}

# sweep KIND SAMPLES: plants that many faults, spread over all calls.
sweep() {
    with_fault "$1:0"
    is "$status" 0 "$1: the library alone changes nothing" || explain "$(cat "$work/err")"
    total=$(cat "$work/count")
    if [ "$total" -eq 0 ] && [ -n "$(sanitizer "$WHYFAST")" ]; then
        skip "$1: the address sanitizer has calls of its own"
        return
    fi
    : >"$work/wrong"
    failed=0
    for number in $(awk -v total="$total" -v samples="$2" '
        BEGIN {
            step = total > samples ? total / samples : 1
            for (n = 1; n <= total; n += step) print int(n)
        }'); do
        with_fault "$1:$number"
        word=$(judge)
        [ "$status" -ne 0 ] && failed=$((failed + 1))
        if [ -n "$word" ]; then
            echo "call $number: $word: $(head -c 300 "$work/err" | tr '\n' ' ')" >>"$work/wrong"
        fi
    done
    is "$(wc -l <"$work/wrong")" 0 \
        "$1: of $total calls some fail, one at a time; $failed end the program" ||
        explain "$(head -n 8 "$work/wrong")"
    is "$((failed > 0))" 1 "$1: faults are felt"
}
sweep malloc "$(some 40 200)"
sweep fopen 40
sweep write 40
sweep fclose 40
sweep rename 4
finish
