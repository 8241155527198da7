#!/bin/sh
# Tests on a GPU what one look by `whyfast run` at a program of PyTorch costs, eager and compiled.
# Prints one line for each bar.
. "${ROOT:-.}/tests/gpu/run_cost.inc"

if ! python3 -c 'import torch' 2>/dev/null; then
    skip 'PyTorch is missing'
    finish
    exit
fi
cat >five.py <<'END'
import sys
import torch

torch.manual_seed(1)
a = torch.randn(2048, 2048, device="cuda")

def work(x):
    y = torch.nn.functional.gelu(x @ a)
    return torch.softmax(y, 1).cumsum(0).sum() + torch.sort(y, 1).values.mean()

if sys.argv[1] == "compiled":
    work = torch.compile(work)
for step in range(int(sys.argv[2])):
    torch.cuda.nvtx.range_push("step %d" % step)
    result = work(a)
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
print("%.2e" % float(result))
END
look torch 300 --range 'step #' -- python3 five.py eager 3
ours=$took
kernels=$(column torch/counters.csv variant | sort -u | wc -l)
is "$(column torch/counters.csv variant status | grep -v 'ok$' |
    grep -v 'no such counter\|less than 2' | sort | uniq -c | head -n 5)" '' "PyTorch: all counters of $kernels kernels have values" || :
if has_ncu; then
    under_ncu torch-full 300 --set full --nvtx --nvtx-include 'regex:step [0-9]*/' \
        --launch-count "$((3 * kernels))" python3 five.py eager 3
    result "$(at_most "$ours" "$(awk -v t="$took" 'BEGIN { print t / 2 }')"; echo $?)" \
        "PyTorch: run takes $ours s for $kernels kernels, ncu --set full $took s" || :
fi
timeout 200 python3 five.py compiled 3 >/dev/null 2>&1 # what it compiles is kept
begun=$(now)
timeout 200 python3 five.py compiled 3 >/dev/null 2>&1
alone=$(passed "$begun")
budget=$(awk -v t="$alone" 'BEGIN { printf "%.0f", 3.4 * (t + 1.5) }')
look compiled 400 --range 'step #' --budget "$budget" -- python3 five.py compiled 3
result "$(at_most "$starts" 3; echo $?)" \
    "torch.compile, $alone s alone, with --budget $budget: $starts starts, $took s" || :
counters compiled | head -n 5
states compiled | head -n 5
finish
