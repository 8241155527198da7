#!/bin/sh
# Makes the directory of a fleet: which devices are to be measured, and how. Measures nothing.
#
#   sh plan.sh FLEET NODE:GPUS... [-- OPTION...]
#
# FLEET is a new directory on storage that all nodes share. NODE:GPUS is a node and the number of
# its GPUs; with Slurm also a list of nodes, such as 'node[1-4]:8'. The options are those of
# 'whyfast report', such as --full. WHYFAST names the program; the default is that of this tree, or
# the one that is installed.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC1091,SC2154 # what fleet.inc defines
. "$here/fleet.inc"

[ $# -ge 2 ] || die 'usage: sh plan.sh FLEET NODE:GPUS... [-- OPTION...]'
fleet=$1
shift
[ ! -e "$fleet" ] || die "$fleet: exists; name a new directory"
program=${WHYFAST:-$here/../../build/whyfast}
[ -x "$program" ] || [ -n "${WHYFAST:-}" ] || program=$(command -v whyfast)
[ -x "$program" ] || die "${WHYFAST:-whyfast} is not here; build it by make"
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")

# hosts LIST: prints the names in a list of nodes.
hosts() {
    case $1 in
    *[[,]*) scontrol show hostnames "$1" || die "$1: Slurm cannot expand this list" ;;
    *) echo "$1" ;;
    esac
}

tasks=
number=0
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    gpus=${1##*:}
    case $1 in *?:*) ;; *) gpus= ;; esac
    case $gpus in '' | *[!0-9]*) die "'$1': expected NODE:GPUS, such as node1:8" ;; esac
    names=$(hosts "${1%:*}") || exit
    for node in $names; do
        device=0
        while [ "$device" -lt "$gpus" ]; do
            tasks="$tasks$number $node $device
"
            number=$((number + 1))
            device=$((device + 1))
        done
    done
    shift
done
[ "$number" -gt 0 ] || die 'there are no devices to measure'
[ $# -eq 0 ] || shift

mkdir -p "$fleet/log" "$fleet/tasks" || exit 5
for word; do
    case $word in *'
'*) die 'an option must not hold a line feed' ;; esac
    printf '%s\n' "$word"
done >"$fleet/options.txt" || exit 5
printf 'program: %s\nscripts: %s\n' "$program" "$here" >"$fleet/fleet.txt" || exit 5
printf '%s' "$tasks" >"$fleet/tasks.txt" || exit 5
say "$number devices are planned in $fleet; start.sh measures them"
