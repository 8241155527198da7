// A transposition whose reads of a column conflict; the program checks nothing and prints a sum.
#include "main.cuh"
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][32];
    const int x = blockIdx.x * 32, y = blockIdx.y * 32;
    tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * n + x + threadIdx.x];
    __syncthreads();
    out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main() { return run(transpose, 4096); }
