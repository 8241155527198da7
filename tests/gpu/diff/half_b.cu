// The same, two numbers at a time: half of the instructions.
#include <cuda_fp16.h>
__global__ void evaluate(__half *y, const __half *x, __half a, __half2 both, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    const __half2 at = reinterpret_cast<const __half2 *>(x)[i];
    __half2 sum = both;
    for (int k = 0; k < 256; k++) sum = __hfma2(sum, at, both);
    reinterpret_cast<__half2 *>(y)[i] = sum;
}
