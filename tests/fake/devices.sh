#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2086,SC2154 # what tests/tap.sh and fake.inc define; lists
# Measures devices that --device names, on a fake machine with three GPUs.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"
FAKE_DEVICES=3
export FAKE_DEVICES
unset CUDA_VISIBLE_DEVICES
two='sums/02_no_conflicts sums/04_cluster --size 16384 --samples 20'
uuid=00000000-0000-0000-0000-00000000000

# ---- one device ----------------------------------------------------------------------------------

fake report $two --no-counters --device 1 -o "$work/one"
ends 0 'one device by its number'
contains "$work/one/run.txt" "device_uuid: ${uuid}1" '  is measured'
contains "$work/one/run.txt" "host: $(uname -n)" '  and its host noted'
contains "$work/one/run.txt" 'device_remapped_rows: 1' '  with what tells boards apart'
contains "$work/one/run.txt" 'device_pcie: generation 5, 16 lanes' '  and its link'
all_closed '  nothing is left'
fake measure $two --device "GPU-${uuid}2" -o "$work/two"
ends 0 'by its UUID'
contains "$work/two/run.txt" "device_uuid: ${uuid}2" '  another one'
fake measure $two -o "$work/first"
ends 0 'without a choice'
contains "$work/first/run.txt" "device_uuid: ${uuid}0" '  the first one'
is "$(grep -c '^host:' "$work/first/run.txt")" 0 '  as a run of its own'
CUDA_VISIBLE_DEVICES=2,1 fake measure $two --device 0 -o "$work/visible"
ends 0 'of those that are visible'
contains "$work/visible/run.txt" "device_uuid: ${uuid}2" '  the number counts'
fake measure $two --device 3 -o "$work/none"
ends 2 'a device that is not there'
says "there is no device '3'; there are 3, counted from 0" '  says so'
CUDA_VISIBLE_DEVICES='' fake measure $two --device 0 -o "$work/none"
ends 3 'no device'
CUDA_VISIBLE_DEVICES=7 fake report $two --device 0 -o "$work/none"
ends 3 'a device that CUDA does not know'
says 'CUDA cannot use the device 7' '  is no reason to replay a run'
fake report --replay --device 0 -o "$work/none"
ends 2 'a recorded run has no device with a number'
fake launch $two --device 2
ends 0 'points are launched on a device'
fake selftest --device 2 "$work/one"
ends 2 'no device of a selftest that was'
is "$(find "$work" -name 'none*')" '' 'nothing was written'
fake merge "$work/one" "$work/two" "$work/first" -o "$work/fleet"
ends 0 'three devices are merged'
fake evaluate "$work/fleet"
ends 0 '  and evaluated'
fake compare "$work/fleet" --device "${uuid}1,nvidia"
ends 2 '  with a wrong label'
fake compare "$work/fleet" --device 0,2
ends 0 '  two are compared'

# ---- several devices -----------------------------------------------------------------------------

facts() {
    sed -n "s/^$1: //p" "$work/$2"/devices/*/run.txt | sort -u
}
if [ "$(nproc)" -lt 2 ]; then
    skip 'there is one processor: devices are not measured at once'
    finish
fi
FAKE_DEVICES=2
fake report $two --device all -o "$work/all"
ends 0 'all devices'
is "$(facts device_uuid all | wc -l)" 2 '  each is measured'
is "$(facts measured_together all)" \
    'yes: 2 devices at once, none of them slower than alone' \
    '  at once, after a trial'
contains "$work/all/devices/1/run.txt" 'trial_ratios: sums/04_cluster 1.0000 (0.99' \
    '  which says what it found for each device'
contains "$work/all/index.html" \
    '<td>sums/04_cluster</td><td class="n" data-label="fake-gpu-no-device-0">1.0000' \
    '  on the page, too'
is "$(facts host_cpus all | wc -l)" 2 '  on processors of their own'
contains "$work/all/index.html" 'href="devices/1/index.html"' '  with a report each'
is "$(tail -n 1 "$work/out")" "$work/all/index.html" '  and one for all'
is "$(cmp "$work/all/devices/1/samples.csv" "$work/one/samples.csv" 2>&1)" '' \
    '  with the times of the device alone'
is "$(find "$work" -name 'all.*')" '' '  nothing else is left'
is "$(grep -c "$uuid" "$work/all/devices/0/run.txt")" 1 '  the UUID is in its own fact alone'
fake collect "$work/all" --device 1 --sets "$(sed -n 's/^set //p' "$ROOT/metrics/sets.metric" |
    head -n 1)" --repeats 1
ends 0 'counters are added to the run of a device'
contains "$work/all/devices/1/run.txt" "device_uuid: ${uuid}1" '  on that device'
contains "$work/all/devices/1/run.txt" 'collected_sets: ' '  in its place'
lacks "$work/all/index.html" 'href="devices/1/index.html"' '  and the page leads to no old report'
CUDA_VISIBLE_DEVICES=GPU-${uuid}0 fake collect "$work/all" --device 1
ends 2 '  unless it is not here'
fake report $two --device all -o "$work/all"
ends 5 'an earlier result is left alone'
FAKE_CROWD=$work/crowd
export FAKE_CROWD
mkdir "$FAKE_CROWD"
fake measure $two --device 0,1 -o "$work/crowded"
ends 0 'devices that disturb each other'
facts measured_together crowded >"$work/why"
contains "$work/why" 'no: one after the other: sums/0' '  are measured one after the other'
contains "$work/why" 'times the time of measuring alone with 2 devices at once' '  which is said'
is "$(cmp "$work/crowded/devices/1/samples.csv" "$work/one/samples.csv" 2>&1)" '' \
    '  with the times of the device alone'
unset FAKE_CROWD
FAKE_STATE=slow_1 fake measure $two --device all -o "$work/slow"
ends 0 'a board that is slower'
fake boards "$work/slow"
prints '-1 differ:' '  is found among the boards'

FAKE_STATE=mig FAKE_DEVICES=1 fake measure $two --device all -o "$work/slices"
ends 0 'MIG slices'
is "$(facts device_uuid slices | tr '\n' ' ')" "${uuid%00}010 ${uuid%00}011 " '  are devices'
FAKE_STATE=mig fake measure $two --device "MIG-${uuid%00}021" -o "$work/slice"
ends 0 '  one by its UUID'
contains "$work/slice/run.txt" 'device_mig: 1' '  which says that it is one'

# ---- failures ------------------------------------------------------------------------------------

FAKE_STATE=broken_1 fake measure $two --device all -o "$work/broken"
ends 3 'a broken device'
says "device GPU-${uuid}1: " '  is named'
says 'continue with --resume' '  with what to do'
is "$(find "$work" -maxdepth 1 -name 'broken' | wc -l)" 0 '  nothing is merged'
fake measure $two --device all -o "$work/broken"
ends 5 '  nor started again'
fake measure $two --device all -o "$work/broken" --resume
ends 0 '  but resumed, once it works'
is "$(facts device_uuid broken | wc -l)" 2 '  with both'
is "$(find "$work" -name 'broken.parts')" '' '  and nothing is left'
fake measure $two --device all -o "$work/never" --resume
ends 4 'nothing to resume'
# stopped SIGNAL: stops the program in the trial, in which each process waits for others.
stopped() {
    : >"$FAKE_LOG"
    FAKE_CROWD=$work/crowd "$program" measure $two --device all -o "$work/stopped" >"$work/out" \
        2>"$work/err" </dev/null &
    process=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -n "$(ls "$work/crowd")" ] && break
        sleep 0.1
    done
    kill "-$1" "$process"
    status=0
    wait "$process" || status=$?
    rm -rf "$work/crowd"
    mkdir "$work/crowd"
}
stopped TERM
ends 130 'devices are interrupted'
says "finished work is in $work/stopped.parts; continue with --resume" '  which is said'
fake measure $two --device all -o "$work/stopped" --resume
ends 0 '  and resumed'
is "$(cmp "$work/stopped/devices/1/samples.csv" "$work/one/samples.csv" 2>&1)" '' '  with the same result'
rm -r "$work/stopped"
stopped KILL
ends 137 'the program is killed'
is "$(find "$work" -maxdepth 1 -name 'stopped*' -exec basename '{}' ';')" stopped.parts \
    '  and leaves its work'
fake measure $two --device all -o "$work/stopped" --resume
ends 0 '  which is resumed'
is "$(facts device_uuid stopped | wc -l),$(find "$work" -name 'stopped.parts')" 2, '  completely'
fake selftest --device all
ends 3 'self-tests in turn'
says "device GPU-${uuid}1: " '  of each'
finish
