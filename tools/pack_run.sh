#!/bin/sh
# Puts a run under reports/recorded/: run.txt and the raw tables, compressed.
#
#   build/whyfast report --full --seconds 6 -o RUN
#   sh tools/pack_run.sh RUN reports/recorded/NAME
set -eu
from=${1:?usage: pack_run.sh RUN DIRECTORY}
to=${2:?usage: pack_run.sh RUN DIRECTORY}
mkdir -p "$to"
cp "$from/run.txt" "$to/"
running=
for table in families variants claims published points launches accesses series samples counters \
    sources source_files kernels lines ceilings power stages traces activities trace_samples knockouts ncu; do
    rm -f "$to/$table.csv.xz"
    [ -e "$from/$table.csv" ] || continue
    # lc=4, pb=0: for text of single bytes
    xz --lzma2=preset=9e,lc=4,pb=0 -T1 -c "$from/$table.csv" >"$to/$table.csv.xz" &
    running="$running $!"
done
for process in $running; do wait "$process"; done
