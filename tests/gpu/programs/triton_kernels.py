# Kernels in Triton: a matrix product and a softmax of rows.
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


@triton.jit
def softmax(source, to, columns: tl.constexpr):
    row = tl.program_id(0)
    place = tl.arange(0, columns)
    values = tl.load(source + row * columns + place)
    shifted = tl.exp(values - tl.max(values, axis=0))
    tl.store(to + row * columns + place, shifted / tl.sum(shifted, axis=0))
