# A block of a network, forward and backward, 20 times: eager, or compiled ("compiled"). With
# "operators" each launch is in the NVTX range of its operator.
import contextlib
import sys

import torch

torch.manual_seed(1)
block = torch.nn.Sequential(
    torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024), torch.nn.LayerNorm(1024)
).cuda()
run = torch.compile(block) if "compiled" in sys.argv else block
x = torch.randn(256, 1024, device="cuda")
run(x).sum().backward()
ranges = torch.autograd.profiler.emit_nvtx() if "operators" in sys.argv else contextlib.nullcontext()
with ranges:
    for _ in range(20):
        block.zero_grad()
        loss = torch.softmax(run(x), dim=1).square().sum()
        loss.backward()
torch.cuda.synchronize()
print("%.1e" % float(loss))
