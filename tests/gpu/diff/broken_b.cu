// A copy that does not compile.
__global__ void copy(float *out, const float *in, int n)
{
    if (i < n) out[i] = in[i];
}
