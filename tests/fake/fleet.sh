#!/bin/sh
# Measures fake devices of two nodes by the scripts of reports/fleet, started by number;
# tests/slurm does the same with Slurm.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"
. "$ROOT/tests/fake/nodes.inc"
scripts=$ROOT/reports/fleet
unset SLURM_JOB_ID SLURM_ARRAY_TASK_ID

# plan NAME: plans a fleet of four devices, which the commands below are about.
plan() {
    fleet=$work/$1
    expect 0 "a fleet is planned: $1" sh "$scripts/plan.sh" "$fleet" node1:2 node2:2 -- \
        sums/02_no_conflicts --size 16384 --samples 20
}
# measure NODE [NUMBER]: runs a task there.
measure() { SLURMD_NODENAME=$1 sh "$scripts/measure.sh" "$fleet" "${2:-}"; }
log_has() { contains "$fleet/log/$1.txt" "$2" "$3"; }

# ---- planning ------------------------------------------------------------------------------------

expect 2 'no device' sh "$scripts/plan.sh" "$work/none" node1:0
expect 2 'no number of GPUs' sh "$scripts/plan.sh" "$work/none" node1
says "'node1': expected NODE:GPUS" '  is said'
WHYFAST=$work/nowhere expect 2 'no program' sh "$scripts/plan.sh" "$work/none" node1:1
is "$(find "$work" -name 'none*')" '' 'nothing is written by these'
plan first
is "$(tr '\n' ';' <"$fleet/tasks.txt")" '0 node1 0;1 node1 1;2 node2 0;3 node2 1;' '  by number'
expect 2 'a fleet that exists' sh "$scripts/plan.sh" "$fleet" node1:1
expect 2 'what is no fleet' sh "$scripts/merge.sh" "$work"
expect 1 'nothing is measured yet' sh "$scripts/merge.sh" "$fleet"
says 'task 3 (node2, device 1) is missing: has not started' '  which is said'

# ---- tasks ---------------------------------------------------------------------------------------

expect 2 'no number' measure node1
expect 2 'a number that is no task' measure node1 4
expect 2 'another node' measure node2 0
log_has 0 'task 0 is for node1, but this is node2' '  is refused'
expect 0 'a task by its number' measure node1 0
SLURM_ARRAY_TASK_ID=1 expect 0 'by that of an array job' measure node1.cluster.example
CUDA_VISIBLE_DEVICES=0,1 expect 0 'one that sees several devices' measure node2 2
is "$(sed -n 's/^device_uuid: .*0\(.\)$/\1/p' "$fleet"/tasks/[0-2]/*/run.txt | tr '\n' ' ')" \
    '0 1 2 ' '  each measures its device'
expect 0 'a task that is done' measure node1 0
log_has 0 'task 0: is done, in ' '  is not done again'
CUDA_VISIBLE_DEVICES='' expect 2 'no device to see' measure node2 3
FAKE_STATE=no_gpu expect 3 'a device that CUDA does not see' measure node2 3
expect 1 'three of four are merged' sh "$scripts/merge.sh" "$fleet"
says 'task 3 (node2, device 1) is missing: whyfast ended with status 3; the log said last: ' \
    '  the other one is named'
says '3 of 4 tasks are merged' '  and counted'
expect 0 'the last task' measure node2 3
expect 0 'all are merged' sh "$scripts/merge.sh" "$fleet"
is "$(column "$fleet/merged/devices.csv" uuid | sort -u | wc -l)" 4 '  each device once'
is "$(find "$fleet" -maxdepth 1 -name 'merged*' | wc -l)" 1 '  in the place of the earlier result'
sed -i 's/^git_revision: .*/git_revision: 0000/' "$fleet"/tasks/1/*/run.txt
expect 4 'runs that do not fit' sh "$scripts/merge.sh" "$fleet"
says "nothing is merged: 'whyfast merge' ended with status 4" '  are refused'

# ---- two tasks on one device ---------------------------------------------------------------------

plan second
confuse node1
pause 0
measure node1 0 &
task=$!
patience=200
until paused 0 >/dev/null || [ "$patience" -eq 0 ]; do
    patience=$((patience - 1))
    sleep 0.1
done
expect 75 'a device that another task holds' measure node1 1
log_has 1 "is held by task 0 of $fleet on node1, process " '  is said'
kill -9 "$(paused 0)"
wait "$task"
is $? 137 'the other task is killed'
log_has 0 'whyfast ended with status 137; ' '  which is said'
expect 0 'it is started again' measure node1 0
log_has 0 'task 0: is resumed on node1' '  and goes on'
expect 76 'a device that another task has measured' measure node1 1
log_has 1 'was measured before: ' '  is said'
expect 1 'one of four is merged' sh "$scripts/merge.sh" "$fleet"
says 'task 1 (node1, device 1) is missing: the device GPU-' '  with the reasons'
finish
