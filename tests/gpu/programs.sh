#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests `whyfast run` on a GPU with programs of all kinds: their results and exit status stay, and
# their kernels have times, counters, counts and lines, or the reason why not. Needs nvcc; PyTorch,
# Triton and CuPy are tried if they are there.
. "${ROOT:-.}/tests/tap.sh"
unset CUDA_VISIBLE_DEVICES
programs=$ROOT/tests/gpu/programs
cd "$work" || exit 1
compile() { nvcc -std=c++17 -O3 -lineinfo -arch=native "$@"; }
compile -o static "$programs/targets.cu" &&
    compile -cudart shared -o shared "$programs/targets.cu" &&
    compile -DAFTER=0 -o before "$programs/pairs.cu" &&
    compile -DAFTER=1 -o after "$programs/pairs.cu" || exit 1

# Runs a program plain and watched: same output, same status.
watch() {
    run=$1.run
    shift
    "$@" >plain.txt 2>/dev/null
    status=$?
    "$WHYFAST" run -o "$run" --kernel . -- "$@" >watched.txt 2>"$run.err"
    is "$?" "$status" "$run: the exit status is the program's"
    is "$(sort watched.txt)" "$(sort plain.txt)" '  its output, too'
}
# Prints how many counters of a run have a value, and the reasons of the others.
counters() { cut -d , -f 14- "$1/counters.csv" | sed 1d | sort | uniq -c | sed 's/^ *//'; }
states() {
    column "$1/kernels.csv" counts_status samples_status lines_status sass_status | sort -u |
        tr '\t' ,
}

for kind in static shared; do
    watch $kind "./$kind" plain 12
    is "$(counters $kind.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' '  every counter has a value'
    is "$(states $kind.run)" ok,ok,ok,ok '  and every instruction its count, stalls and line'
done
expect 0 'conflicts' "$WHYFAST" conflicts ./static.run
prints 'targets.cu:3' '  are at the line that causes them'
expect 0 'two kernels of one program' "$WHYFAST" explain ./static.run transpose_1 transpose_0
prints 'to bank conflicts' '  differ by their conflicts'

for kind in graph two_streams two_contexts fork fork_exit exit killed closes; do
    watch $kind ./static $kind
    [ -e $kind.run/samples.csv ] || continue
    explain "$kind: $(counters $kind.run | tr '\n' ';')"
    explain "$(states $kind.run | tr '\n' ';')"
done
is "$(counters graph.run | grep -c 'a CUDA graph launched the kernel')" 1 \
    'kernels of a graph say why they have no counters'
is "$(cut -d , -f 1 fork.run/points.csv | sed 1d | sort -u | wc -l)" 2 'each process is a family'

for run in before after; do watch $run ./$run; done
for pair in 'transpose bank conflicts' 'sum bytes in flight' 'rounds barriers'; do
    expect 0 "the edit of ${pair%% *}" "$WHYFAST" explain ./before.run ./after.run "${pair%% *}"
    is "$(sed -n '/saved/,$p' "$work/out" | sed -n 's/.*██  //p' | head -n 1)" "${pair#* }" \
        '  has its cause first'
done

if python3 -c 'import torch, triton' 2>/dev/null; then
    watch torch python3 "$programs/torch_loop.py"
    is "$(counters torch.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' '  every counter has a value'
    watch triton python3 "$programs/triton_matmul.py"
    expect 0 'lines of a Triton kernel' "$WHYFAST" lines ./triton.run product
    prints 'tl.dot' '  are those of the Python file'
fi
if python3 -c 'import cupy' 2>/dev/null; then
    watch cupy python3 "$programs/cupy_kernel.py"
    is "$(counters cupy.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' '  every counter has a value'
fi
finish
