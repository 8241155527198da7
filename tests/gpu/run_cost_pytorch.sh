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
kernels=$(column torch/counters.csv variant | sort -u | wc -l)
is "$(column torch/counters.csv variant status | grep -v 'ok$' |
    grep -v 'no such counter\|less than 2' | sort | uniq -c | head -n 5)" '' "PyTorch: all counters of $kernels kernels have values" || :

# The five kernels that take the most time, of those that no other one shares its code with.
five="^($(column torch/kernels.csv symbol |
    awk '
        { at[NR] = $1; n[$1]++ }
        END { for (i = 1; i <= NR; i++) if (n[at[i]] == 1) print at[i] }' |
    head -n 5 | paste -s -d '|' -))\$"

# look_at_five STEPS: looks at these kernels in so many steps by both programs, and sets $ours and
# $theirs to the seconds that they take.
look_at_five() {
    look "five$1" 300 --range 'step #' --kernel "$five" -- python3 five.py eager "$1"
    ours=$took
    is "$(column "five$1/variants.csv" variant | wc -l)" 5 "five kernels in $1 steps" || :
    under_ncu "five$1" 400 --set full --nvtx --nvtx-include 'regex:step [0-9]*/' \
        --kernel-name-base mangled --kernel-name "regex:$five" python3 five.py eager "$1"
    theirs=$took
    # The first column is the number of a launch; that of the table of whyfast is a rank.
    is "$(awk -F '","' '$1 ~ /^"[0-9]+$/ { print $1 }' "five$1.ncu" | sort -u | wc -l)" \
        "$(awk '
            $1 ~ /^[1-5]$/ && NF > 5 && !seen[$1]++ { n += $2 }
            END { print n }' "five$1.err")" \
        '  and all their launches' || :
}

# A launch costs ncu its replays. Many launches cost whyfast no more starts than few.
if has_ncu; then
    look_at_five 3
    explain "five kernels in 3 steps: run takes $ours s, ncu --set full $theirs s" || :
    look_at_five 12
    result "$(at_most "$ours" "$(awk -v t="$theirs" 'BEGIN { print t / 2 }')"; echo $?)" \
        "five kernels of PyTorch in 12 steps: run takes $ours s, ncu --set full $theirs s" || :
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
