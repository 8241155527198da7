#!/bin/sh
# Tests on a GPU that a program which ends while a kernel runs on ends under `whyfast run`, too, and
# that its other kernels are recorded. Needs nvcc.
. "${ROOT:-.}/tests/gpu/programs.inc"
MOST_S=30
compile -o static "$programs/targets.cu" || exit 1
begun=$(now)
timeout 10 ./static leaves >plain.txt
status=$?
explain "the program alone ended with status $status after $(passed "$begun") s" || :
if [ $status -ne 0 ]; then
    skip 'a program that ends while a kernel runs on does not end here'
    finish
fi
for options in --once ''; do
    begun=$(now)
    status=0
    # shellcheck disable=SC2086 # no option is none
    timeout -s KILL 120 "$WHYFAST" run -v $options --kernel count -o "leaves$options.run" \
        -- ./static leaves >watched.txt 2>leaves.err || status=$?
    took=$(passed "$begun")
    is "$status" 0 "a program whose kernel runs on ends: run $options" ||
        explain "$(grep -v ': wrote ' leaves.err | tail -n 4)"
    is "$(cat watched.txt)" "$(cat plain.txt)" '  its output is whole'
    contains leaves.err \
        'launches are missing: the program ended while the GPU still worked for it' \
        '  the user is told'
    is "$(column "leaves$options.run/samples.csv" variant copy | sort | uniq -c | wc -l)" \
        "$([ -n "$options" ] && echo 1 || echo 2)" '  kernels that ended have times'
    explain "leaves: $took s $options" || :
    grep -h 'start [0-9]*, for' leaves.err | sed 's/^/#     /' >&2
done
is "$(counters leaves.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' 'and counters, if asked for'
result "$(awk -v most=$MOST_S '/for times/ && $(NF - 1) > most { late = 1 } END { exit late }' \
    leaves.err; echo $?)" "no start for times takes more than $MOST_S s"
finish
