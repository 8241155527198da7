# A matrix product in Triton, 20 times.
import torch
from triton_kernels import product

n = 1024
torch.manual_seed(1)
a = torch.randn(n, n, device="cuda", dtype=torch.float16)
b = torch.randn(n, n, device="cuda", dtype=torch.float16)
c = torch.empty(n, n, device="cuda")
for _ in range(20):
    product[(n // 64, n // 64)](a, b, c, n, 64, 32)
torch.cuda.synchronize()
print("%.3e" % float(c.abs().sum()))
