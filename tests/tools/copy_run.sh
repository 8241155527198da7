#!/bin/sh
# Makes a run of any size: copy_run.sh RECORDED DIRECTORY COPIES writes a run with so many copies of
# all ladders of a recorded run, whose tables are packed. The families of a copy have its number
# behind their names, such as gemm_003, and its kernels and traces follow those of the copy before.
set -e
mkdir "$2"
cp "$1/run.txt" "$2"
for packed in "$1"/*.csv.xz; do
    table=$2/$(basename "$packed" .xz)
    xz -dc "$packed" >"$2/one"
    case $(head -n 1 "$2/one") in
    kernel,*) last=$(xz -dc "$1/kernels.csv.xz" | tail -n 1) ;;
    trace,*) last=$(xz -dc "$1/traces.csv.xz" | tail -n 1) ;;
    family,*) last=0 ;;
    *)
        mv "$2/one" "$table"
        continue
        ;;
    esac
    copy=0
    while [ "$copy" -lt "$3" ]; do
        awk -v copy="$copy" -v numbers="$((${last%%,*} + 1))" '
            FNR == 1 {
                if (!copy) print
                is_numbered = !/^family,/
                is_named = /^([a-z]*,)?family,/
                has_codes = /,code_of$/
                next
            }
            {
                first = last = ""
                if (is_numbered) {
                    first = $0 + copy * numbers ","
                    sub(/^[0-9]*,/, "")
                }
                if (is_named) sub(/,/, sprintf("_%03d,", copy))
                if (has_codes && match($0, /[0-9]+$/)) {
                    last = substr($0, RSTART) + copy * numbers
                    $0 = substr($0, 1, RSTART - 1)
                }
                print first $0 last
            }' "$2/one"
        copy=$((copy + 1))
    done >"$table"
done
rm -f "$2/one"
