#!/bin/sh
# Puts a run under reports/recorded/: run.txt and the raw tables, compressed, by columns where a
# table can be written so (harness/run/packed_table.h). What was packed unpacks to the same bytes.
#
#   build/whyfast report --full --seconds 6 -o RUN
#   sh tools/pack_run.sh RUN reports/recorded/NAME
set -eu
LC_ALL=C
export LC_ALL
from=${1:?usage: pack_run.sh RUN DIRECTORY}
to=${2:?usage: pack_run.sh RUN DIRECTORY}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes the cells of each column, as they are written, into a file of its own.
split_columns='{
        count = split($0, piece, ",")
        column = 0
        for (i = 1; i <= count; i++) {
            cell = piece[i]
            while (gsub(/"/, "&", cell) % 2 && i < count) cell = cell "," piece[++i]
            print cell >(to "/" sprintf("%03d", ++column))
        }
    }'

# packed TABLE: prints the table by columns if rows can be made of them again, else as it is.
packed() {
    mkdir "$work/$1"
    awk -v to="$work/$1" "$split_columns" "$from/$1.csv"
    if paste -d , "$work/$1"/* | cmp -s - "$from/$1.csv"; then
        echo "#columns of $(($(wc -l <"$from/$1.csv"))) rows"
        cat "$work/$1"/*
    else
        cat "$from/$1.csv"
    fi
    rm -r "${work:?}/$1"
}

mkdir -p "$to"
cp "$from/run.txt" "$to/"
running=
tables=
for table in families variants claims published points launches accesses series samples counters \
    sources source_files kernels lines ceilings power stages traces activities trace_samples knockouts ncu; do
    rm -f "$to/$table.csv.xz"
    [ -e "$from/$table.csv" ] || continue
    tables="$tables $table"
    # lc=4, pb=0: for text of single bytes
    packed "$table" | xz --lzma2=preset=9e,lc=4,pb=0 -T1 -c >"$to/$table.csv.xz" &
    running="$running $!"
done
for process in $running; do wait "$process"; done
sh "$(dirname "$0")/unpack_run.sh" "$to" "$work/again"
for table in $tables; do cmp "$from/$table.csv" "$work/again/$table.csv"; done
