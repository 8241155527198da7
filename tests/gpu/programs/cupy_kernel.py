# A raw kernel of CuPy with 32-way bank conflicts, 20 times.
import cupy

scale = cupy.RawKernel(
    r"""
extern "C" __global__ void scale(float *x, int n)
{
    __shared__ float tile[1024];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x * 32 % 1024;
    tile[at] = x[i];
    __syncthreads();
    if (i < n) x[i] = tile[at] * 2;
}
""",
    "scale",
    options=("-lineinfo",),
)
x = cupy.ones(1 << 20, dtype=cupy.float32)
for _ in range(20):
    scale((1 << 12,), (256,), (x, x.size))
cupy.cuda.Device().synchronize()
print(float(x[0]))
