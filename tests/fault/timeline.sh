#!/bin/sh
# Tests that whatever call fails while a trace is written, the program ends with one of its own exit
# codes and says why, and the earlier trace is unchanged.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fault/sweep.inc"
. "$ROOT/tests/tools/timeline.inc"

small_run "$work/run"
cut_points "$work/run" '$1 == "reduce" && $2 ~ /^0[23]_/'
printf '%s\n' 'stage,family,size,begin_ns,end_ns' \
    'timeline,reduce,4194304,10000,90000' >"$work/run/stages.csv"
timeline_tables "$work/run"
"$WHYFAST" evaluate -q "$work/run"
mkdir "$work/place"
trace=$work/place/trace.json
expect 0 'without a fault the trace is written' "$WHYFAST" timeline "$work/run" -o "$trace"
mv "$trace" "$work/new"
{ cat "$work/new" && echo; } >"$work/earlier"

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
sweep fclose 100
sweep rename 4
finish
