#!/bin/sh
# Tests kernels and counters over time on a GPU: both triggers of the sampler, and a run that becomes
# a trace. Whether its values are right is tested in whole_run.sh. Prints TAP.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"

"$BUILD/tests/gpu/sampling_triggers" >"$work/triggers" 2>&1
status=$?
sed 's/^/# /; s/^# # /# /' "$work/triggers"
result $status 'sampled by time and by cycles, with lost samples reported'

"$WHYFAST" report -q 'reduce/0[678]*' 'reduce/15*' reduce/90_cub -s 2^29,2^16 --samples 20 \
    --seconds 2 --sets mission,timeline,timeline_memory -o "$work/run" >"$work/out" 2>&1
status=$?
result $status 'a run with a timeline'
[ $status -eq 0 ] || sed 's/^/# /' "$work/out"
"$WHYFAST" timeline "$work/run" -o "$work/trace.json" >"$work/out" 2>&1
status=$?
result $status 'the run is a trace'
[ "$(grep -c '"ph":"X"' "$work/trace.json")" -ge 20 ] &&
    [ "$(grep -c '"ph":"C"' "$work/trace.json")" -ge 1000 ]
result $? '  with kernels and counters'
finish
