// The same with eight numbers at a time.
#include <cuda_fp16.h>
__global__ void axpy(__half *y, const __half *x, __half a, __half2 unused, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 8) return;
    uint4 from = reinterpret_cast<const uint4 *>(x)[i], to = reinterpret_cast<uint4 *>(y)[i];
    __half2 *p = reinterpret_cast<__half2 *>(&to);
    for (int k = 0; k < 4; k++)
        p[k] = __hfma2(__half2half2(a), reinterpret_cast<__half2 *>(&from)[k], p[k]);
    reinterpret_cast<uint4 *>(y)[i] = to;
}
