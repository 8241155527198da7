#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests on a GPU how much memory the injected library takes beyond CUPTI's own while a program
# launches 100 000 kernels: less than 64 MB. Prints a table of the largest resident memory of the
# program plain, with a library that lets CUPTI record and keeps nothing, and with ours.
. "${ROOT:-.}/tests/gpu/programs.inc"
MOST_KB=65536
library=$BUILD/libwhyfast_inject.so
compile -cudart shared -o tiny "$programs/targets.cu" &&
    compile -o peak "$programs/peak_memory.c" || exit 1
toolkit=$(dirname "$(dirname "$(command -v nvcc)")")
nvcc -shared -Xcompiler -fPIC -I"$toolkit/extras/CUPTI/include" -I"$toolkit/include" \
    -L"$toolkit/extras/CUPTI/lib64" -L"$toolkit/lib64" -o cupti_alone.so "$programs/cupti_alone.c" \
    -lcupti 2>nvcc.err || cp "$BUILD/cupti_alone.so" . || exit 1

# peak PLAN LAUNCHES: prints the memory in KiB of the program under our library with this plan, or
# with the words "plain", "cupti" or "cupti_samples".
peak() {
    rm -rf watch
    mkdir watch
    printf '%17s\n' '' >watch/unwritten
    (
        case $1 in
        plain) ;;
        cupti) export CUDA_INJECTION64_PATH="$work/cupti_alone.so" ;;
        cupti_samples) export CUDA_INJECTION64_PATH="$work/cupti_alone.so" SAMPLES=1 ;;
        *)
            printf '%b' "$1" >watch/plan.txt
            export CUDA_INJECTION64_PATH="$library" WHYFAST_WATCH="$work/watch"
            ;;
        esac
        LD_LIBRARY_PATH=$toolkit/extras/CUPTI/lib64:$toolkit/lib64:${LD_LIBRARY_PATH:-}
        export LD_LIBRARY_PATH
        ./peak ./tiny tiny "$2" 2>&1 >watched.txt | tail -n 1
    )
}
# rows: prints how many launches our library has written.
rows() { tail -n +2 watch/0/launches.csv | wc -l; }

times='mode\ttimes\n'
samples='mode\ttimes\nsamples\t1\nperiod\t12\n'
for launches in 1000 100000; do
    for who in plain cupti cupti_samples times samples; do
        eval "plan=\${$who:-$who}"
        kb=$(peak "$plan" $launches)
        eval "${who}_$launches=$kb"
        explain "$launches launches, $who: $kb KiB"
        case $who in times | samples)
            is "$(rows)" $launches "$who: all $launches launches are recorded"
            is "$(cat watch/0/problems.csv 2>/dev/null)" '' '  without a problem'
            ;;
        esac
    done
done
less() { result "$([ "$1" -lt "$2" ]; echo $?)" "$3: $1 KiB" || :; }
less $((times_100000 - cupti_100000)) $MOST_KB 'recording times takes beyond CUPTI'
less $((samples_100000 - cupti_samples_100000)) $MOST_KB 'recording samples takes beyond CUPTI'
less $((times_100000 - times_1000)) $MOST_KB '100 000 launches take more than 1000, CUPTI included'
finish
