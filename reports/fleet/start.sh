#!/bin/sh
# Submits to Slurm what a fleet lacks: for each node an array job, with a task for each device that
# has no finished run, and a job that merges all runs afterwards. A task that was killed goes on
# where it was. Each has its node alone, so the devices of a node are measured one after the other,
# and a task finds its device by number, whichever others are missing.
#
#   sh start.sh [-w TIME] FLEET [SBATCH_OPTION...]
#
# Slurm gives up a task that cannot end within TIME, because its node is drained or the queue is
# long; the default is 1day. The options are for all jobs, such as --partition=NAME; without GRES,
# --gres=none.
# shellcheck disable=SC1091,SC2154 # what fleet.inc defines
. "$(dirname "$0")/fleet.inc"

wait=1day
if [ "${1:-}" = -w ]; then
    wait=${2:-}
    shift 2 || exit 2
fi
[ $# -ge 1 ] || die 'usage: sh start.sh [-w TIME] FLEET [SBATCH_OPTION...]'
open_fleet "$1"
shift
command -v sbatch >/dev/null || die "there is no Slurm here; on each node: sh measure.sh $fleet N"

# Words are joined by commas, as --array wants them.
missing=$(missing_tasks | awk '
    {
        if (!($2 in list)) order[++nodes] = $2
        list[$2] = list[$2] (list[$2] == "" ? "" : ",") $1
    }
    END { for (i = 1; i <= nodes; i++) print order[i], list[order[i]] }')
[ -n "$missing" ] || exec sh "$scripts/merge.sh" "$fleet"

# No other fleet has jobs of this name.
name=whyfast-$(printf '%s' "$fleet" | cksum | cut -d ' ' -f 1)
after=
while read -r node numbers; do
    gpus=$(grep -c "^[0-9]* $node " "$fleet/tasks.txt")
    job=$(sbatch --parsable --job-name="$name" --nodelist="$node" --array="$numbers" \
        --exclusive --gres="gpu:$gpus" --deadline="now+$wait" --output="$fleet/log/%a.txt" "$@" \
        "$scripts/batch.sh" "$scripts/measure.sh" "$fleet") || exit
    say "$node: job ${job%%;*} measures the tasks $numbers"
    after=$after:${job%%;*}
done <<END
$missing
END
job=$(sbatch --parsable --job-name="$name-merge" --dependency="afterany$after,singleton" \
    --open-mode=truncate --output="$fleet/log/merge.txt" "$@" --gres=none \
    "$scripts/batch.sh" "$scripts/merge.sh" "$fleet") || exit
say "job ${job%%;*} merges them into $fleet/merged; its report is $fleet/log/merge.txt"
