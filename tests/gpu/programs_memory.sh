#!/bin/sh
# shellcheck disable=SC2086 # words
# Tests on a GPU how much memory the injected library takes beyond CUPTI's own while a program
# launches 100 000 kernels: less than 64 MB. Prints a table of the largest resident memory of the
# program plain, with a library that lets CUPTI record and keeps nothing, and with ours; then
# whether the buffer that CUPTI has for samples is large enough.
. "${ROOT:-.}/tests/gpu/programs.inc"
MOST_KB=65536
library=$BUILD/libwhyfast_inject.so
compile -cudart shared -o tiny "$programs/targets.cu" &&
    compile -o peak "$programs/peak_memory.c" || exit 1
toolkit=$(dirname "$(dirname "$(command -v nvcc)")")
nvcc -shared -Xcompiler -fPIC -I"$toolkit/extras/CUPTI/include" -I"$toolkit/include" \
    -L"$toolkit/extras/CUPTI/lib64" -L"$toolkit/lib64" -o cupti_alone.so "$programs/cupti_alone.c" \
    -lcupti 2>nvcc.err || cp "$BUILD/cupti_alone.so" . || exit 1

# The size of CUPTI's buffer for samples in harness/injected/stall_samples.c.
BUFFER=$(sed -n 's/.*HARDWARE_BUFFER_BYTES = \([0-9]*\) << 20.*/\1/p' \
    "$ROOT/harness/injected/stall_samples.c")

# with WHO PROGRAM ARGUMENT...: runs a program under our library with the plan of this name, or with
# CUPTI alone. Prints its largest memory in KiB; in $work/parts, of what.
with() {
    who=$1
    shift
    rm -rf watch
    mkdir watch
    printf '%17s\n' '' >watch/unwritten
    (
        case $who in
        plain) ;;
        cupti) export CUDA_INJECTION64_PATH="$work/cupti_alone.so" ;;
        cupti_samples)
            export CUDA_INJECTION64_PATH="$work/cupti_alone.so" SAMPLES=$((BUFFER << 20))
            ;;
        cupti_default) export CUDA_INJECTION64_PATH="$work/cupti_alone.so" SAMPLES=0 ;;
        *)
            eval "printf '%b' \"\$$who\"" >watch/plan.txt
            export CUDA_INJECTION64_PATH="$library" WHYFAST_WATCH="$work/watch"
            ;;
        esac
        LD_LIBRARY_PATH=$toolkit/extras/CUPTI/lib64:$toolkit/lib64:${LD_LIBRARY_PATH:-}
        export LD_LIBRARY_PATH
        ./peak "$@" 2>"$work/parts" >watched.txt
    )
    tail -n 1 "$work/parts"
}
# rows: prints how many launches our library has written.
rows() { tail -n +2 watch/0/launches.csv | wc -l; }
# total NAME: prints a number about the samples.
total() { sed -n "s/^$1,//p" watch/0/totals.csv; }

times='mode\ttimes\n'
samples='mode\ttimes\nsamples\t1\nperiod\t12\n'
for launches in 1000 100000; do
    for who in ${alone:-} times samples; do
        kb=$(with $who ./tiny tiny $launches)
        eval "${who}_$launches=$kb"
        explain "$launches launches, $who: $kb KiB; $(sed '$d' "$work/parts" | tr '\n' ' ')" || :
        case $who in times | samples)
            is "$(rows)" $launches "$who: all $launches launches are recorded"
            is "$(cat watch/0/problems.csv 2>/dev/null)" '' '  without a problem'
            ;;
        esac
    done
    alone='plain cupti cupti_samples cupti_default' # once is enough
done
less() { result "$([ "$1" -lt "$2" ]; echo $?)" "$3: $1 KiB" || :; }
less $((times_100000 - cupti_100000)) $MOST_KB 'recording times takes beyond CUPTI'
less $((samples_100000 - cupti_samples_100000)) $MOST_KB 'recording samples takes beyond CUPTI'
less $((samples_100000 - cupti_default_100000)) 0 'and beyond CUPTI with its default buffer'
less $((samples_100000 - samples_1000)) $MOST_KB \
    '100 000 launches take more than 1000, CUPTI included'

# About 4 million samples, for which whyfast asks, in 10 ms and in a second. A sample is taken on
# each SM once in a period while kernels run, so that they are as many in both.
for case in 'ten ms:9:30' 'a second:16:3000'; do
    words=${case%%:*} often=${case##*:} period=${case#*:}
    many="mode\ttimes\nsamples\t1\nperiod\t${period%:*}\n"
    with many ./tiny many "$often" >/dev/null
    per_ms=$(awk -F , -v total="$(total total)" -v period="$(total period)" \
        'NR > 1 { ns += $4 - $3 } END { printf "%d", ns ? total * period * 1e6 / ns : 0 }' \
        watch/0/launches.csv)
    explain "$words: $(total total) samples, $(total dropped) dropped;" \
        "samples x period is $per_ms per ms" || :
    is "$(cat watch/0/problems.csv 2>/dev/null)" '' "the samples of $words fit into the buffer"
    is "$(total dropped)" 0 '  none is dropped'
    [ -n "${rate:-}" ] || rate=$per_ms
done
result "$(awk -v a="$rate" -v b="$per_ms" 'BEGIN { exit !(a > 0.8 * b && b > 0.8 * a) }'
    echo $?)" 'and none is lost'
finish
