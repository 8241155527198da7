#!/bin/sh
# shellcheck disable=SC2086 # lists of words
# Tests `whyfast run` on a GPU with C++ programs of all kinds: their results and exit status stay,
# and their kernels have times, counters, counts and lines, or the reason why not. Set KINDS to test
# only these programs. Needs nvcc.
. "${ROOT:-.}/tests/gpu/programs.inc"
compile -o static "$programs/targets.cu" &&
    compile -cudart shared -o shared "$programs/targets.cu" || exit 1

for kind in ${KINDS:-graph beside_capture two_streams two_contexts fork fork_exit exit killed \
    closes}; do
    watch $kind --kernel . -- ./static $kind
    [ -e $kind.run/samples.csv ] || continue
    explain "$kind: $(counters $kind.run | tr '\n' ';')"
    explain "$(states $kind.run | tr '\n' ';')"
    # Two processes that launch the same kernels, 2 and 3 times, and begin in any order.
    case $kind in fork*)
        is "$(counters $kind.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' \
            '  every counter of both processes has a value'
        is "$(cut -d , -f 1 $kind.run/points.csv | sed 1d | sort -u | wc -l)" 2 \
            '  each process is a family'
        ;;
    esac
done
[ -z "${KINDS:-}" ] || finish

for kind in static shared; do
    watch $kind --kernel . -- "./$kind" plain 12
    is "$(counters $kind.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' '  every counter has a value'
    is "$(states $kind.run)" ok,ok,ok,ok '  and every instruction its count, stalls and line'
done
expect 0 'conflicts' "$WHYFAST" conflicts ./static.run
prints 'targets.cu:3' '  are at the line that causes them'
expect 0 'two kernels of one program' "$WHYFAST" explain ./static.run transpose-1 transpose-0
prints 'to bank conflicts' '  differ by their conflicts'

is "$(counters graph.run | grep -c 'a CUDA graph launched the kernel')" 1 \
    'kernels of a graph say why they have no counters'
# A disk that the records fill.
mkdir small
if mount -t tmpfs -o size=200k tmpfs small 2>/dev/null; then
    status=0
    "$WHYFAST" run -o small/run -- ./static plain 12 >watched.txt 2>full.err || status=$?
    is "$status" 125 'a full disk'
    contains full.err 'No space left on device' '  is told'
    is "$(cat watched.txt)" "$(./static plain 12)" '  and the output is whole'
    is "$(ls -A small)" '' '  nothing is left there'
    umount small
else
    skip 'no disk can be mounted here'
fi

# Its output shows that no graph was spoilt.
is "$(counters beside_capture.run | grep -v ' ok$\|: a CUDA graph launched the kernel')" '' \
    'other launches are profiled in place of those while a graph is recorded'
finish
