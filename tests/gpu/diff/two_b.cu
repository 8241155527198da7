// The same sums by all threads of a block, in rounds, and the same scaling: a block waits for one
// load and eight rounds instead of 32 sectors of memory, one after the other.
__global__ void sums(float *out, const float *in, int n)
{
    __shared__ float part[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0;
    for (int step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (t < step) part[t] += part[t + step];
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
__global__ void scale(float *x, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= a;
}
