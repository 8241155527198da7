#!/bin/sh
# Makes a run of any size: copy_run.sh RECORDED DIRECTORY COPIES writes a run with so many copies of
# all ladders of a recorded run, whose tables are packed. The families of a copy have its number
# behind their names, such as gemm_003, and its kernels and traces follow those of the copy before.
set -e
tools=$(dirname "$0")/../../tools
mkdir "$2"
sh "$tools/unpack_run.sh" "$1" "$2"
last_kernel=$(tail -n 1 "$2/kernels.csv")
last_trace=$(tail -n 1 "$2/traces.csv")
for table in "$2"/*.csv; do
    case $(head -n 1 "$table") in
    kernel,*) last=$last_kernel ;;
    trace,*) last=$last_trace ;;
    family,*) last=0 ;;
    *) continue ;;
    esac
    mv "$table" "$2/one"
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
