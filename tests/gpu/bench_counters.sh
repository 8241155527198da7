#!/bin/sh
# shellcheck disable=SC2086 # the options are words
# Measures how long the counters of the seven rungs take: 'whyfast collect' against 'ncu --metrics'
# with the same names on the same program. Three runs each; wall time of the whole process and,
# without the time that the program needs without counters, of the collection alone. PATTERN chooses
# other rungs, SIZE another size, SWEEP another setting ('' for all of them).
here=$(dirname "$0")
# shellcheck source=points.inc
. "$here/points.inc"
# shellcheck source=ncu.inc
. "$here/ncu.inc"
PATTERN=${PATTERN:-reduce/0[1-7]*}
size=${SIZE:-4194304}
sweep=${SWEEP-16}
sweep=${sweep:+--sweep $sweep}
if ! command -v ncu >/dev/null; then
    echo "bench_counters: ncu is not on the PATH: skipped"
    exit 0
fi
"$WHYFAST" measure -q "$PATTERN" -s "$size" $sweep --samples 1 -o "$work/run" >/dev/null || exit 1
"$WHYFAST" collect -q "$work/run" --repeats 1 >/dev/null || exit 1
ncu_prepare "$work/run" "$PATTERN" -s "$size" $sweep
# seconds COMMAND...: prints its wall time.
seconds() {
    start=$(date +%s.%N)
    "$@" >/dev/null 2>&1 || {
        echo "failed: $*" >&2
        exit 1
    }
    end=$(date +%s.%N)
    echo "$start $end" | awk '{ printf "%.3f\n", $2 - $1 }'
}
median() { sort -n | sed -n 2p; }
plain=$(for _ in 1 2 3; do seconds "$WHYFAST" launch "$PATTERN" -s "$size" $sweep; done | median)
ours=$(for _ in 1 2 3; do seconds "$WHYFAST" collect -q "$work/run" --repeats 1; done | median)
theirs=$(for _ in 1 2 3; do seconds ncu_profile "$work/ncu.csv" "$PATTERN" -s "$size" $sweep; done |
    median)
values=$(column "$work/run/counters.csv" value | grep -c .)
rungs=$(kinds "$work/run" | wc -l)
echo "$plain $ours $theirs $values" | awk -v size="$size" -v rungs="$rungs" '{
    printf "counters of %d rungs at n = %s: %d values\n", rungs, size, $4
    printf "  the program without counters   %7.3f s\n", $1
    printf "  whyfast collect                %7.3f s   collection alone %7.3f s\n", $2, $2 - $1
    printf "  ncu --metrics, same names      %7.3f s   collection alone %7.3f s\n", $3, $3 - $1
    printf "  whyfast is faster by           %7.1fx                     %7.1fx\n", $3 / $2,
        ($3 - $1) / ($2 - $1) }'
