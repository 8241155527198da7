#!/bin/sh
# Tests `whyfast run` on a GPU with Python programs of PyTorch, Triton and CuPy; each is skipped
# where its library is missing. Set TARGETS to "torch triton cupy" or to some of them.
. "${ROOT:-.}/tests/gpu/programs.inc"
TARGETS=${TARGETS:-torch triton cupy}

if wants torch torch; then
    watch torch --range 'step #' -- python3 "$programs/torch_loop.py"
    is "$(counters torch.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' '  every counter has a value'
    expect 0 'a report of them' "$WHYFAST" report ./torch.run
fi
if wants triton 'torch, triton'; then
    watch triton --kernel product -- python3 "$programs/triton_matmul.py"
    is "$(counters triton.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' '  every counter has a value'
    expect 0 'lines of a Triton kernel' "$WHYFAST" lines ./triton.run product
    prints 'tl.dot' '  are those of the Python file'
fi
if wants cupy cupy; then
    watch cupy --kernel scale -- python3 "$programs/cupy_kernel.py"
    is "$(counters cupy.run | cut -d ' ' -f 2- | tr '\n' ';')" 'ok;' '  every counter has a value'
    expect 0 'lines of a kernel that CuPy compiled' "$WHYFAST" lines ./cupy.run scale
    prints 'text not shown: the file was gone when the program ran' '  have no text'
    prints '   8  ' '  but their numbers'
fi
finish
