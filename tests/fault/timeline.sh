#!/bin/sh
# Tests that whatever call fails while a trace is written, the program ends with one of its own exit
# codes and says why, and the earlier trace is unchanged.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fault/sweep.inc"

small_run "$work/run"
cut_points "$work/run" '$1 == "reduce" && $2 ~ /^0[23]_/'
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

needs_faults malloc

attempt() {
    cp "$work/earlier" "$trace"
    with_fault "$1" timeline "$work/run" -o "$trace"
}
succeeded() { cmp -s "$trace" "$work/new"; }
left() { cmp -s "$trace" "$work/earlier" || echo 'loses the earlier trace'; }
tidy_up() { [ "$(ls -A "$work/place")" = trace.json ] || echo 'leaves something beside it'; }
sweep malloc "$(some 40 200)"
sweep fopen 40
sweep write 40
sweep fclose 40
sweep rename 4
finish
