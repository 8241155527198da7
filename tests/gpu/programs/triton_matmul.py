# A matrix product in Triton, 20 times.
import torch
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, n: tl.constexpr, tile: tl.constexpr, depth: tl.constexpr):
    rows = tl.program_id(0) * tile + tl.arange(0, tile)
    columns = tl.program_id(1) * tile + tl.arange(0, tile)
    inner = tl.arange(0, depth)
    sums = tl.zeros((tile, tile), dtype=tl.float32)
    for k in range(0, n, depth):
        left = tl.load(a + rows[:, None] * n + k + inner[None, :])
        right = tl.load(b + (k + inner)[:, None] * n + columns[None, :])
        sums += tl.dot(left, right)
    tl.store(c + rows[:, None] * n + columns[None, :], sums)


n = 1024
torch.manual_seed(1)
a = torch.randn(n, n, device="cuda", dtype=torch.float16)
b = torch.randn(n, n, device="cuda", dtype=torch.float16)
c = torch.empty(n, n, device="cuda")
for _ in range(20):
    product[(n // 64, n // 64)](a, b, c, n, 64, 32)
torch.cuda.synchronize()
print("%.3e" % float(c.abs().sum()))
