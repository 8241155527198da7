#!/bin/sh
# Times 10 and 100 sums of 2^29 words by PyTorch on a GPU: as it is, with the memory of the result
# given, with cudaMalloc and cudaFree in place of PyTorch's pool of memory, and compiled by
# torch.compile. SIZE is another number of words.
. "${ROOT:-.}/tests/gpu/programs.inc"
if ! python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null; then
    skip 'PyTorch with CUDA is missing'
    finish
fi

# sums NAME WAY: times the sums of a process and prints them.
sums() {
    python3 "$programs/sums.py" "$2" ${SIZE:+"$SIZE"} >"$work/sums" 2>"$work/err"
    result $? "$1" || explain "$(tail -n 3 "$work/err")"
    is "$(grep -c ' right$' "$work/sums")" 2 '  the sums of both types are right'
    while read -r _ dtype first ten hundred _; do
        explain "  ${dtype#torch.}: the first sum $first ms, then 10 sums $ten, 100 sums $hundred" ||
            :
    done <"$work/sums"
}
sums 'PyTorch as it is' eager
sums 'the memory of the result is given' out
PYTORCH_NO_CUDA_MEMORY_CACHING=1
export PYTORCH_NO_CUDA_MEMORY_CACHING
sums 'cudaMalloc and cudaFree for each sum' eager
unset PYTORCH_NO_CUDA_MEMORY_CACHING
sums 'torch.compile' compile
finish
