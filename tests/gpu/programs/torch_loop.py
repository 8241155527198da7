# Multiplies, clips and sums matrices 20 times, each time in an NVTX range.
import torch

torch.manual_seed(1)
a = torch.randn(1024, 1024, device="cuda")
for step in range(20):
    torch.cuda.nvtx.range_push("step %d" % step)
    total = torch.relu(a @ a).sum()
    torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
print("%.3e" % float(total))
