// A copy in which neighbouring threads read far from each other.
__global__ void copy(float *out, const float *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, at = (int)(i * 33ull % n);
    if (i < n) out[at] = in[at];
}
