// A stencil whose parameters are a structure, read from memory five times.
struct parameters {
    int n;
    float weight[3];
    char name[1000];
};
namespace
{
__global__ void stencil(const float *in, float *out, parameters p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = -8; k <= 8; k++)
        if (i + k >= 0 && i + k < p.n) sum += p.weight[(k + 9) % 3] * in[i + k];
    if (i < p.n) out[i] = sum;
}
} // namespace
