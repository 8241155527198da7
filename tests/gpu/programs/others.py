# Launches kernels of PyTorch's own and of Triton, which users did not write for this program. Most
# take less than 2 % of the time.
import torch
import triton.language as tl
from triton_kernels import softmax


@triton.jit
def histogram(source, counts, block: tl.constexpr):
    place = tl.program_id(0) * block + tl.arange(0, block)
    tl.atomic_add(counts + tl.load(source + place) % 64, 1)


@triton.jit
def turned(source, to, n, block: tl.constexpr):
    row = tl.program_id(0) * block + tl.arange(0, block)
    column = tl.program_id(1) * block + tl.arange(0, block)
    tile = tl.load(source + row[:, None] * n + column[None, :])
    tl.store(to + column[:, None] * n + row[None, :], tl.trans(tile))


torch.manual_seed(1)
n = 2048
a = torch.randn(n, n, device="cuda")
b = torch.empty_like(a)
whole = torch.randint(0, 1 << 20, (n * n,), device="cuda", dtype=torch.int32)
index = torch.randint(0, n, (n,), device="cuda")
counts = torch.zeros(64, device="cuda", dtype=torch.int32)
image = torch.randn(24, 64, 64, 64, device="cuda")
double = torch.randn(n * 1024, device="cuda", dtype=torch.float64)


def once():
    softmax[(n,)](a, b, n)
    histogram[(n * n // 16384,)](whole, counts, 1024)
    turned[(n // 64, n // 64)](a, b, n, 64)
    torch.softmax(a, 1)
    torch.nn.functional.layer_norm(a, (n,))
    torch.nn.functional.gelu(a)
    torch.nn.functional.max_pool2d(image, 2)
    torch.nn.functional.interpolate(image, scale_factor=2, mode="bilinear")
    torch.argmax(a, 1)
    torch.cumsum(a, 1)
    torch.index_select(a, 0, index)
    torch.gather(a, 1, index.expand(n, n))
    torch.mean(a, 0)
    a.t().contiguous()
    torch.cat([a, a], 1)
    torch.exp(double)


once()
with torch.cuda.nvtx.range("others"):
    for _ in range(12):
        once()
torch.cuda.synchronize()
