// A copy that writes where there is no memory.
__global__ void copy(float *out, const float *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i + (1ll << 40)] = in[i];
}
