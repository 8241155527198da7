// The same stencil from shared memory.
struct parameters {
    int n;
    float weight[3];
    char name[1000];
};
namespace
{
__global__ void stencil(const float *in, float *out, parameters p)
{
    __shared__ float tile[256 + 16];
    const int first = blockIdx.x * 256 - 8, i = blockIdx.x * 256 + threadIdx.x;
    for (int k = threadIdx.x; k < 256 + 16; k += 256)
        tile[k] = first + k >= 0 && first + k < p.n ? in[first + k] : 0;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 17; k++) sum += p.weight[(k + 1) % 3] * tile[threadIdx.x + k];
    if (i < p.n) out[i] = sum;
}
} // namespace
