#!/bin/sh
# Undoes tools/pack_run.sh: makes a directory with the facts and the raw tables of a recorded run.
#
#   sh tools/unpack_run.sh reports/recorded/NAME RUN
set -eu
from=${1:?usage: unpack_run.sh DIRECTORY RUN}
to=${2:?usage: unpack_run.sh DIRECTORY RUN}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$to"
cp "$from/run.txt" "$to/"
for packed in "$from"/*.csv.xz; do
    xz -dc "$packed" >"$work/table"
    table=$to/$(basename "$packed" .xz)
    read -r mark word rows rest <"$work/table" || : # of an empty table there is nothing to read
    if [ "$mark $word $rest" = '#columns of rows' ]; then
        tail -n +2 "$work/table" | split -a 3 -l "$rows" - "$work/column."
        paste -d , "$work"/column.* >"$table"
        rm "$work"/column.*
    else
        cp "$work/table" "$table"
    fi
done
