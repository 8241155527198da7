// Two kernels: sums of blocks by neighbours that are further and further apart, and a scaling.
__global__ void sums(float *out, const float *in, int n)
{
    __shared__ float part[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0;
    for (int step = 1; step < 256; step *= 2) {
        __syncthreads();
        if (t % (2 * step) == 0) part[t] += part[t + step];
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void scale(float *x, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= a;
}
