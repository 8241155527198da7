#!/bin/sh
# shellcheck disable=SC2086 # lists
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

# ---- several devices, one after the other --------------------------------------------------------

fake report $two --device 0,1 -o "$work/none"
ends 2 'two devices at once'
says "expected one device, found 2; measure one after the other and join the runs by" \
    '  is told what to do'
says "whyfast merge'" '  and by which command'
fake measure $two --device all -o "$work/none"
ends 2 'all devices at once'
is "$(find "$work" -name 'none*')" '' '  measure nothing'
# in_turn NAME: measures two devices into NAME-0 and NAME-1. Fails if one of them did.
in_turn() {
    failed=0
    for device in 0 1; do
        fake report --raw $two --no-counters --device "$device" -o "$work/$1-$device"
        [ "$status" -eq 0 ] || failed=$status
    done
    status=$failed
}
FAKE_DEVICES=2
in_turn all
ends 0 'each device by a command of its own'
fake merge "$work"/all-? -o "$work/all"
ends 0 '  and merged'
fake report "$work/all"
ends 0 '  and reported'
is "$(column "$work/all/devices.csv" uuid | sort -u | wc -l)" 2 '  with both devices'
contains "$work/all/index.html" 'href="devices/1/index.html"' '  and a page that leads to each'
fake collect "$work/all" --device 1 --sets "$(sed -n 's/^set //p' "$ROOT/metrics/sets.metric" |
    head -n 1)" --repeats 1
ends 0 'counters are added to the run of a device'
contains "$work/all/devices/1/run.txt" "device_uuid: ${uuid}1" '  on that device'
contains "$work/all/devices/1/run.txt" 'collected_sets: ' '  in its place'
lacks "$work/all/index.html" 'href="devices/1/index.html"' '  and the page leads to no old report'
CUDA_VISIBLE_DEVICES=GPU-${uuid}0 fake collect "$work/all" --device 1
ends 2 '  unless it is not here'
FAKE_STATE=slow_1
export FAKE_STATE
in_turn slow
ends 0 'a board that is slower'
fake merge "$work"/slow-? -o "$work/slow"
ends 0 '  is merged'
fake boards "$work/slow"
prints '-1 differ:' '  and found among the boards'
FAKE_STATE=broken_0
in_turn broken
ends 3 'a broken device'
is "$(find "$work" -name 'broken-*' -exec basename '{}' ';')" broken-1 \
    '  is no reason to leave out another'
FAKE_STATE=mig FAKE_DEVICES=1
in_turn slices
ends 0 'MIG slices'
is "$(sed -n 's/^device_uuid: //p' "$work"/slices-?/run.txt | tr '\n' ' ')" \
    "${uuid%00}010 ${uuid%00}011 " '  are devices'
FAKE_DEVICES=2 fake measure $two --device "MIG-${uuid%00}021" -o "$work/slice"
ends 0 '  one by its UUID'
contains "$work/slice/run.txt" 'device_mig: 1' '  which says that it is one'
finish
