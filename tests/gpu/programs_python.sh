#!/bin/sh
# shellcheck disable=SC1091,SC2034,SC2154 # what tests/tap.sh defines
# Tests `whyfast run` on a GPU with Python programs of PyTorch, Triton and CuPy; each is skipped
# where its library is missing.
. "${ROOT:-.}/tests/gpu/programs.inc"

if python3 -c 'import torch' 2>/dev/null; then
    watch torch python3 "$programs/torch_loop.py"
    is "$(counters torch.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' '  every counter has a value'
else
    skip 'PyTorch is missing'
fi
if python3 -c 'import torch, triton' 2>/dev/null; then
    chosen=product # and not the kernels of PyTorch
    watch triton python3 "$programs/triton_matmul.py"
    expect 0 'lines of a Triton kernel' "$WHYFAST" lines ./triton.run product
    prints 'tl.dot' '  are those of the Python file'
else
    skip 'Triton is missing'
fi
if python3 -c 'import cupy' 2>/dev/null; then
    chosen=.
    watch cupy python3 "$programs/cupy_kernel.py"
    is "$(counters cupy.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' '  every counter has a value'
    expect 0 'lines of a kernel that CuPy compiled' "$WHYFAST" lines ./cupy.run scale
    prints 'text not shown: the file was gone when the program ran' '  have no text'
    prints '   8  ' '  but their numbers'
else
    skip 'CuPy is missing'
fi
finish
