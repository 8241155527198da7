#!/bin/sh
# shellcheck disable=SC2086 # lists
# Measures eight fake devices of four nodes through a real Slurm, whose daemons all run on this
# machine: with tasks killed and requeued, a node drained, a full disk, and two tasks on one device.
# What was missing is submitted again, and the merged run is that of a fleet without failures.
. "${ROOT:-.}/tests/tap.sh"
. "$ROOT/tests/fake/fake.inc"
. "$ROOT/tests/fake/nodes.inc"
. "$ROOT/tests/slurm/daemons.inc"
scripts=$ROOT/reports/fleet
FAKE_LOG=/dev/null
SBATCH_TIMELIMIT=1
export SBATCH_TIMELIMIT

# plan NAME: plans a fleet of all devices, and the commands below are about it.
plan() {
    fleet=$work/$1
    expect 0 "a fleet is planned: $1" sh "$scripts/plan.sh" "$fleet" 'node[1-4]:2' -- $points
    is "$(wc -l <"$fleet/tasks.txt")" 8 '  of eight devices'
}
points='sums/0* --size 16384 --samples 20'

# within SECONDS COMMAND...: waits until the command succeeds.
within() {
    patience=$(($1 * 10))
    shift
    until "$@"; do
        patience=$((patience - 1))
        [ "$patience" -gt 0 ] || { explain "in vain: $*"; return 1; }
        sleep 0.1
    done
}
# job NUMBER: prints the job of a task.
job() { squeue -h -r -o '%i %K %j' | sed -n "s/ $1 whyfast-[0-9]*\$//p"; }
no_jobs() { [ -z "$(squeue -h)" ]; }
missing() {
    sed -n 's/^fleet: task \([0-9]*\) .* is missing: .*/\1/p' "$fleet/log/merge.txt" | tr '\n' ' '
}
# reason NUMBER TEXT NAME: passes if the merge job gave this reason for a missing task.
reason() {
    sed -n "s/^fleet: task $1 .* is missing: //p" "$fleet/log/merge.txt" >"$work/reason"
    contains "$work/reason" "$2" "$3"
}

# ---- without failures ----------------------------------------------------------------------------

plan calm
expect 0 'it is submitted' sh "$scripts/start.sh" "$fleet"
within 60 no_jobs
result $? '  and ends'
contains "$fleet/log/merge.txt" 'fleet: 8 of 8 tasks are merged' '  with all devices merged'
is "$(column "$fleet/merged/devices.csv" uuid | sort -u | wc -l)" 8 '  each once'

# ---- with failures -------------------------------------------------------------------------------

# Task 0 is requeued in the middle, 2 is cancelled and 6 is killed there, 3 finds a full disk, the
# node of 4 and 5 is drained, and 7 finds its device held by a task of another fleet.
plan other
pause 7
SLURMD_NODENAME=node4 sh "$scripts/measure.sh" "$fleet" 7 &
within 30 paused 7 >/dev/null
result $? 'a task of another fleet is in the middle'
holder=$(paused 7)
plan stormy
pause 0
pause 2
pause 6
mkdir "$fleet/tasks/3"
if mount -t tmpfs -o size=64k whyfast "$fleet/tasks/3" 2>"$work/err"; then
    full_disk=3
else
    full_disk=
    skip "a small file system cannot be mounted: $(head -n 1 "$work/err")"
fi
scontrol update nodename=node3 state=drain reason='fan broken'
expect 0 'it is submitted' sh "$scripts/start.sh" -w 100seconds "$fleet"
within 30 paused 0 >/dev/null && within 30 paused 2 >/dev/null && within 30 paused 6 >/dev/null
result $? '  and three tasks are in the middle'
scontrol requeue "$(job 0)"
scancel --full --signal=KILL "$(job 2)"
kill -9 "$(paused 6)"
within 120 no_jobs
result $? '  and ends, in spite of the drained node'
is "$(missing)" "2 ${full_disk:+3 }4 5 6 7 " 'the missing tasks are named'
contains "$fleet/log/0.txt" 'task 0: is resumed on node1' '  not the one that was requeued'
reason 2 'interrupted; finished work is in' '  one was cancelled'
[ -z "$full_disk" ] || reason 3 'No space left on device' '  one had a full disk'
reason 4 'has not started' '  one had a node that is drained'
reason 6 'whyfast ended with status 137' '  one was killed'
reason 7 "is held by task 7 of $work/other on node4, process " '  one had a device that is held'
contains "$fleet/log/merge.txt" "to measure the missing ones alone: sh $scripts/start.sh $fleet" \
    '  with the command that measures them'

# ---- again ---------------------------------------------------------------------------------------

scontrol update nodename=node3 state=resume
kill -9 "$holder"
[ -z "$full_disk" ] || umount "$fleet/tasks/3"
expect 0 'it is submitted once more' sh "$scripts/start.sh" "$fleet"
is "$(squeue -h -r -o '%j %K' | grep -vc merge)" "$((5 + ${full_disk:+1}))" '  only what is missing'
within 60 no_jobs
result $? '  and ends'
contains "$fleet/log/6.txt" 'task 6: is resumed on node4' '  what was killed is resumed'
contains "$fleet/log/2.txt" 'task 2: is resumed on node2' '  what was cancelled, too'
contains "$fleet/log/merge.txt" 'fleet: 8 of 8 tasks are merged' '  with all devices merged'
expect 0 'nothing is left to submit' sh "$scripts/start.sh" "$fleet"

# ---- the same result -----------------------------------------------------------------------------

# without_timings FLEET: prints its merged run without times, and without the counters that measure
# or depend on them. The clock of the fake GPU is such that the samples are the same.
without_timings() {
    for file in "$1"/merged/*.csv "$1"/merged/run.txt "$1"/merged/devices/*/*; do
        echo "${file#"$1/"}"
        case ${file##*/} in
        run.txt) grep -vE '^(date|epoch_ns): ' "$file" ;;
        devices.csv) sed 's/,20[0-9-]*T[0-9:]*Z,/,/' "$file" ;;
        boards.csv) cut -d , -f 1-3 "$file" ;;
        stages.csv) sed 's/,[0-9]*,[0-9]*$//' "$file" ;;
        ceilings.csv) sed 's/,[0-9.]*,[0-9.]*,[0-9.]*,25,[0-9.]*,/,/' "$file" ;;
        counters.csv)
            grep -vE ',[a-z]+__[a-z0-9_.]*(cycles|time|throughput|per_second|issue_active|inst0)' \
                "$file"
            ;;
        *) cat "$file" ;;
        esac
    done
}
without_timings "$work/calm" >"$work/calm.all"
without_timings "$work/stormy" >"$work/stormy.all"
is "$(diff "$work/calm.all" "$work/stormy.all" | head -n 6)" '' \
    'timings aside, the result is that without failures'
sed -i '/,shared_wavefronts_load,/s/,ok$/,absent/' "$work/stormy/merged/devices/5/counters.csv"
without_timings "$work/stormy" | cmp -s - "$work/calm.all"
is $? 1 '  which another status of a counter is not'
finish
