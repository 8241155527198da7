#!/bin/sh
# Merges the finished runs of a fleet into FLEET/merged, and says which tasks are missing, why, and
# the command that measures them alone.
#
#   sh merge.sh FLEET
#
# Exits with 0 if no task is missing, with 1 if some are, and with the status of 'whyfast merge' if
# that refuses the runs; then FLEET/merged is left as it was.
# shellcheck disable=SC1091,SC2154 # what fleet.inc defines
. "$(dirname "$0")/fleet.inc"

[ $# -eq 1 ] || die 'usage: sh merge.sh FLEET'
open_fleet "$1"

# why_missing NUMBER: prints what the task said last in its log.
why_missing() {
    said=$(sed -nE 's/^fleet: (task [0-9]+: )?//p' "$fleet/log/$1.txt" 2>/dev/null | tail -n 1)
    echo "${said:-has not started}"
}

set --
missing=0
while read -r number node device; do
    if run=$(finished_run "$number"); then
        set -- "$@" "$run"
    else
        missing=$((missing + 1))
        say "task $number ($node, device $device) is missing: $(why_missing "$number")"
    fi
done <"$fleet/tasks.txt"

status=0
if [ $# -gt 0 ]; then
    new=$fleet/merged.$$
    trap 'rm -rf "$new"' EXIT
    trap 'exit 130' INT TERM HUP
    if "$program" merge -q "$@" -o "$new" >/dev/null; then
        rm -rf "$fleet/merged"
        mv -T "$new" "$fleet/merged" || exit 5
        say "$# of $(($# + missing)) tasks are merged into $fleet/merged"
    else
        status=$?
        say "nothing is merged: 'whyfast merge' ended with status $status"
    fi
fi
if [ "$missing" -gt 0 ]; then
    if command -v sbatch >/dev/null; then
        say "to measure the missing ones alone: sh $scripts/start.sh $fleet"
    else
        say "to measure a missing one, on its node: sh $scripts/measure.sh $fleet NUMBER"
    fi
    [ "$status" -ne 0 ] || status=1
fi
exit "$status"
