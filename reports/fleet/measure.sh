#!/bin/sh
# Measures one device: runs one task of a fleet on its node, or goes on where it was killed.
#
#   sh measure.sh FLEET [NUMBER]
#
# Without a number, it is that of an array job of Slurm. If the task sees several devices, it takes
# that of its line in tasks.txt; if it sees one, as when Slurm gives each task a GPU, it takes that.
#
# The device is locked by a file in /tmp of the node, or in FLEET_LOCKS, while it is measured. The
# exit status is that of 'whyfast report', or 75 if another task holds the device, or 76 if another
# task of the fleet has measured it. Everything is printed to log/NUMBER.txt.
# shellcheck disable=SC1091,SC2154 # what fleet.inc defines
. "$(dirname "$0")/fleet.inc"

[ $# -ge 1 ] || die 'usage: sh measure.sh FLEET [NUMBER]'
open_fleet "$1"
number=${2:-${SLURM_ARRAY_TASK_ID:-}}
line=$(awk -v number="$number" '$1 == number && $1 "" == number' "$fleet/tasks.txt")
[ -n "$line" ] || die "$fleet: has no task '$number'"
device=${line##* }
node=${line#* }
node=${node% *}
exec >>"$fleet/log/$number.txt" 2>&1

here=${SLURMD_NODENAME:-$(uname -n)}
[ "${here%%.*}" = "${node%%.*}" ] || die "task $number is for $node, but this is $here"
if run=$(finished_run "$number"); then
    say "task $number: is done, in $run"
    exit 0
fi

# ---- the device ----------------------------------------------------------------------------------

visible=${CUDA_VISIBLE_DEVICES-$device}
case $visible in
*,*) entry=$(printf '%s\n' "$visible" | cut -d , -f "$((device + 1))") ;;
*) entry=$visible ;;
esac
case $entry in
'') die "task $number: sees no device $device (CUDA_VISIBLE_DEVICES is '$visible')" ;;
*-*) uuid=$entry ;;
*) uuid=$(nvidia-smi --id="$entry" --query-gpu=uuid --format=csv,noheader) ;;
esac
case $uuid in
GPU-* | MIG-*) ;;
*) say "task $number: nvidia-smi does not know the device $entry: $uuid"; exit 3 ;;
esac

lock=${FLEET_LOCKS:-/tmp}/whyfast-$uuid.lock
[ -e "$lock" ] || (set -C && : >"$lock") 2>/dev/null
[ -r "$lock" ] || { say "task $number: $lock cannot be read"; exit 5; }
exec 9<"$lock"
flock -n 9 || {
    say "task $number: the device $uuid is held by $(cat "$lock")"
    exit 75
}
# The lock's file can be that of another user, who has measured the device earlier.
job=${SLURM_JOB_ID:+, job ${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}_${SLURM_ARRAY_TASK_ID:-}}
printf '%s\n' "task $number of $fleet$job on $here, process $$ of $(id -un)" 2>/dev/null >"$lock"
for other in "$fleet"/tasks/*/"$uuid"/run.txt; do
    [ -e "$other" ] || continue
    say "task $number: the device $uuid was measured before: ${other%/run.txt}"
    exit 76
done

# ---- the run -------------------------------------------------------------------------------------

set --
while IFS= read -r word; do set -- "$@" "$word"; done <"$fleet/options.txt"
run=$fleet/tasks/$number/$uuid
mkdir -p "${run%/*}" || exit 5
if grep -qs '^done ' "$run.part/journal.txt"; then
    set -- "$@" --resume
    say "task $number: is resumed on $here, device $uuid"
else
    say "task $number: begins on $here, device $uuid"
fi
CUDA_VISIBLE_DEVICES=$uuid
export CUDA_VISIBLE_DEVICES
trap : INT TERM # whyfast gets these signals, too, and keeps what is finished
status=0
"$program" report "$@" --raw --device 0 -o "$run" >/dev/null || status=$?
case $status in
0) say "task $number: is done" ;;
1) say "task $number: is done, with wrong results" ;;
*)
    said=$(grep '^whyfast' "$fleet/log/$number.txt" | tail -n 1)
    [ -n "$said" ] || said=$(tail -n 1 "$fleet/log/$number.txt")
    say "task $number: whyfast ended with status $status; the log said last: $said"
    ;;
esac
exit "$status"
