// Adds a multiple of an array in half precision, a number at a time.
#include <cuda_fp16.h>
__global__ void axpy(__half *y, const __half *x, __half a, __half2 unused, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(a, x[i], y[i]);
}
