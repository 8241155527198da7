/*
 * Three kernels before and after an edit (AFTER 0 or 1), each with one cause: padding of a tile,
 * wide loads, a barrier that is not needed. Prints a checksum, the same before and after.
 */
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

enum { SIDE = 4096, N = 1 << 26, ROUNDS = 64, WARPS = 16, TIMES = 20 };

__global__ void transpose(const unsigned *from, unsigned *to)
{
    __shared__ unsigned tile[32][32 + AFTER];
    const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = from[y * SIDE + x];
    __syncthreads();
    to[(blockIdx.x * 32 + threadIdx.y) * SIDE + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

/* Few warps: the bytes that each has in flight decide. */
__global__ void sum(const unsigned *from, unsigned *to)
{
    unsigned mine = 0;
    const unsigned threads = gridDim.x * blockDim.x,
                   first = blockIdx.x * blockDim.x + threadIdx.x;
#if AFTER
    const uint4 *wide = (const uint4 *)from;
#pragma unroll 1
    for (unsigned i = first; i < N / 4; i += threads) {
        const uint4 four = wide[i];
        mine += four.x + four.y + four.z + four.w;
    }
#else
#pragma unroll 1
    for (unsigned i = first; i < N; i += threads) mine += from[i];
#endif
    atomicAdd(to, mine);
}

/* In each round one warp has work; without the barrier the warps work side by side. */
__global__ void rounds(const unsigned *from, unsigned *to)
{
    const unsigned warp = threadIdx.x / 32;
    unsigned mine = from[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (round % WARPS == warp)
            for (unsigned i = 0; i < 64; i++) mine = mine * 1664525u + 1013904223u;
#if !AFTER
        __syncthreads();
#endif
    }
    to[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

int main()
{
    unsigned *host = (unsigned *)malloc(N * sizeof *host), *from, *to, state = 12345, check = 0;
    if (!host) return 3;
    for (int i = 0; i < N; i++) host[i] = state = state * 1664525u + 1013904223u;
    if (cudaMalloc(&from, N * sizeof *from) || cudaMalloc(&to, N * sizeof *to)) return 3;
    cudaMemcpy(from, host, N * sizeof *from, cudaMemcpyHostToDevice);
    cudaMemset(to, 0, N * sizeof *to);
    for (int i = 0; i < TIMES; i++) {
        sum<<<264, 256>>>(from, to + SIDE * SIDE);
        transpose<<<dim3(SIDE / 32, SIDE / 32), dim3(32, 32)>>>(from, to);
        rounds<<<1024, 32 * WARPS>>>(from, to + 2 * SIDE * SIDE);
    }
    if (cudaMemcpy(host, to, N * sizeof *to, cudaMemcpyDeviceToHost)) return 3;
    for (int i = 0; i < N; i++) check = check * 31 + host[i];
    printf("check %u\n", check);
    return 0;
}
