#!/bin/sh
# Tests that a kernel with a wrong result is named, not timed, and shown as failed, and that the
# exit code is 1. Such a variant is planted in a copy of the tree, which is built beside this one;
# set WRONG to a program that was built so elsewhere. Prints TAP.
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"

if [ -z "${WRONG:-}" ]; then
    mkdir "$work/tree"
    (cd "$ROOT" && tar cf - Makefile tools harness kernels metrics plots reports/pages) |
        (cd "$work/tree" && tar xf -)
    # Leaves out the element at index 7, so the result is wrong whenever that element is not 0.
    sed 's/reduce_sequential/reduce_wrong/
        s/sum\[t\] = i < n ? in\[i\] : 0;/sum[t] = i < n \&\& i != 7 ? in[i] : 0;/' \
        "$ROOT/kernels/reduce/03_sequential.cu" \
        >"$work/tree/kernels/reduce/99_wrong.cu"
    make -C "$work/tree" -j "$(getconf _NPROCESSORS_ONLN)" build/whyfast >"$work/log" 2>&1 || {
        tail -n 5 "$work/log" | sed 's/^/# /'
        echo "1..0 # SKIP the copy cannot be built here"
        exit 0
    }
    WRONG=$work/tree/build/whyfast
fi
"$WRONG" report 'reduce/*' -s 100000 --no-counters -o "$work/run" >"$work/out" 2>&1
[ $? -eq 1 ]
result $? "the exit code is 1"
grep -q 'reduce/99_wrong.*wrong result' "$work/out"
result $? "the variant is named: $(grep 99_wrong "$work/out" | head -n 1)"
grep -q '^reduce,99_wrong,100000,.*,failed,' "$work/run/points.csv"
result $? "points.csv says failed"
! grep -q 99_wrong "$work/run/samples.csv"
result $? "it was not timed"
others=$(faults "$work/run" | grep -v ',99_wrong,')
timed=$(column "$work/run/points.csv" variant status | grep -v '^99_wrong' |
    grep -c "$(printf '\tok$')")
[ -z "$others" ] && [ "$timed" -ge 17 ] &&
    [ "$timed" -eq "$(awk -F , 'NR > 1 { print $1 "," $2 "," $3 "," $4 "," $5 }' \
        "$work/run/samples.csv" |
        sort -u | wc -l)" ]
result $? "all others were: $timed points $others"
grep -l '99_wrong' "$work/run"/ladder-*.html | xargs grep -qi 'failed'
result $? "the report shows it as failed"
finish
