/*
 * Twenty kernels of different kinds that take from 5 us to 5 ms on an H200, on random data. Each
 * does its work so many times, and as many more as the list MORE says, in the order of the kernels.
 * 'amounts' prints the name and the amount of each kernel instead of running it.
 */
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

#ifndef MORE
#define MORE 0
#endif

constexpr int more[20] = {MORE};
constexpr int amount[20] = {420, 120, 560, 190,  130,  150,  170,   350,  350, 260,
                            256, 512, 128, 1300, 3072, 4500, 13000, 1024, 800, 30000};
#define WORK(k) constexpr int work = amount[k] + more[k]

enum {
    SM = 132,
    FULL = 8 * SM,
    THREADS = 256,
    UNIT = 1 << 16,
    WIDTH = 8192,
    SIDE = 768,
    LONG = 4000, /* pitch of the first factor; it stays when the work changes */
    ROUNDS = 40
};
constexpr unsigned elements = 1u << 28, table_mask = (1u << 22) - 1;

struct data {
    float *from, *to;
    unsigned *table, *counts;
};

__device__ unsigned hashed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

__device__ unsigned thread_number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ unsigned thread_count()
{
    return gridDim.x * blockDim.x;
}

__global__ void fill(data d)
{
    for (unsigned i = thread_number(); i < elements; i += thread_count()) {
        d.from[i] = hashed(i) * 0x1p-32f;
        d.to[i] = 0;
        if (i <= table_mask) {
            d.table[i] = hashed(~i);
            d.counts[i] = 0;
        }
    }
}

namespace gate
{

__global__ void chain(data d)
{
    WORK(0);
    const float a = d.from[threadIdx.x], b = d.from[threadIdx.x + 1];
    float x = a;
#pragma unroll 1
    for (int i = 0; i < work; i++) {
        x = x * a + b;
        x = x * b + a;
        x = x * a + b;
        x = x * b + a;
    }
    d.to[thread_number()] = x;
}

__global__ void barriers(data d)
{
    WORK(1);
    __shared__ float kept[THREADS];
    float x = d.from[thread_number()];
    kept[threadIdx.x] = x;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < work; i++) {
        x += kept[threadIdx.x ^ 33];
        __syncthreads();
        kept[threadIdx.x] = x;
        __syncthreads();
    }
    d.to[thread_number()] = x;
}

__global__ void shuffles(data d)
{
    WORK(2);
    unsigned x = d.table[thread_number()];
#pragma unroll 1
    for (int i = 0; i < work; i++) x = __shfl_sync(~0u, x, x & 31) + i;
    d.counts[thread_number()] = x;
}

__global__ void functions(data d)
{
    WORK(3);
    float x = d.from[thread_number()];
#pragma unroll 1
    for (int i = 0; i < work; i++) x = __sinf(x);
    d.to[thread_number()] = x;
}

/* Few threads on data in L2. */
__global__ void axpy(data d)
{
    WORK(4);
#pragma unroll 1
    for (unsigned i = 0; i < work; i++) {
        const unsigned at = i * thread_count() + thread_number();
        d.to[at] = 0.5f * d.to[at] + d.from[at];
    }
}

__global__ void histogram(data d)
{
    WORK(5);
    __shared__ unsigned bins[THREADS];
    bins[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned i = 0; i < work; i++)
        atomicAdd(&bins[d.table[(i * thread_count() + thread_number()) & table_mask] % THREADS], 1);
    __syncthreads();
    atomicAdd(&d.counts[threadIdx.x], bins[threadIdx.x]);
}

__global__ void gather(data d)
{
    WORK(6);
    unsigned at = thread_number(), sum = 0;
#pragma unroll 1
    for (int i = 0; i < work; i++) {
        at = at * 1664525u + 1013904223u;
        sum += d.table[at >> 10];
    }
    d.counts[thread_number()] = sum;
}

__global__ void chase(data d)
{
    WORK(7);
    unsigned at = thread_number();
#pragma unroll 1
    for (int i = 0; i < work; i++) at = d.table[at & table_mask];
    d.counts[thread_number()] = at;
}

__global__ void sum(data d)
{
    WORK(8);
    const float4 *from = (const float4 *)d.from;
    float mine = 0;
#pragma unroll 4
    for (unsigned i = thread_number(); i < work * UNIT; i += thread_count()) {
        const float4 x = from[i];
        mine += x.x + x.y + x.z + x.w;
    }
    for (int lane = 16; lane; lane /= 2) mine += __shfl_down_sync(~0u, mine, lane);
    if (threadIdx.x % 32 == 0) atomicAdd(d.to, mine);
}

__global__ void copy(data d)
{
    WORK(9);
#pragma unroll 4
    for (unsigned i = thread_number(); i < work * UNIT; i += thread_count())
        ((float4 *)d.to)[i] = ((const float4 *)d.from)[i];
}

__global__ void transpose(data d)
{
    WORK(10);
    __shared__ float tile[32][33];
    const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;
#pragma unroll 1
    for (unsigned t = blockIdx.x; t < work * (WIDTH / 32); t += gridDim.x) {
        const unsigned column = t % (WIDTH / 32) * 32, row = t / (WIDTH / 32) * 32;
        for (unsigned r = y; r < 32; r += 8) tile[r][x] = d.from[(row + r) * WIDTH + column + x];
        __syncthreads();
        for (unsigned r = y; r < 32; r += 8)
            d.to[(column + r) * (work * 32) + row + x] = tile[x][r];
        __syncthreads();
    }
}

__global__ void stencil(data d)
{
    WORK(11);
#pragma unroll 2
    for (unsigned i = WIDTH + thread_number(); i < (work * 32 - 1) * WIDTH; i += thread_count())
        d.to[i] = 0.5f * d.from[i] +
                  0.125f * (d.from[i - 1] + d.from[i + 1] + d.from[i - WIDTH] + d.from[i + WIDTH]);
}

__global__ void product(data d)
{
    WORK(12);
    __shared__ float a[16][16], b[16][16];
    const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16,
                   column = blockIdx.x % (SIDE / 16) * 16, row = blockIdx.x / (SIDE / 16) * 16;
    float sum = 0;
#pragma unroll 1
    for (unsigned k = 0; k < work * 16; k += 16) {
        a[y][x] = d.from[(row + y) * LONG + k + x];
        b[y][x] = d.from[(k + y) * SIDE + column + x];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    d.to[(row + y) * SIDE + column + x] = sum;
}

__global__ void atomics(data d)
{
    WORK(13);
    unsigned at = thread_number();
#pragma unroll 1
    for (unsigned i = 0; i < work; i++)
        at = at * 1664525u + (atomicAdd(&d.counts[at >> 10], 1) & 1) + 1013904223u;
    d.to[thread_number()] = at;
}

__global__ void strided(data d)
{
    WORK(14);
    float sum = 0;
#pragma unroll 1
    for (unsigned i = thread_number(); i < work * (UNIT / 2); i += thread_count())
        sum += d.from[i * 8 % elements];
    d.to[thread_number()] = sum;
}

__global__ void conflicts(data d)
{
    WORK(15);
    __shared__ float kept[4 * THREADS];
    for (unsigned i = threadIdx.x; i < 4 * THREADS; i += THREADS) kept[i] = d.from[i];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < work; i++) sum += kept[(threadIdx.x * 8 + i) % (4 * THREADS)];
    d.to[thread_number()] = sum;
}

__global__ void hashes(data d)
{
    WORK(16);
    unsigned x = d.table[thread_number()];
#pragma unroll 1
    for (int i = 0; i < work; i++) x = hashed(hashed(x + i));
    d.counts[thread_number()] = x;
}

__global__ void prefix(data d)
{
    WORK(17);
    __shared__ float sums[THREADS / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll 1
    for (unsigned t = blockIdx.x; t < work * 1024; t += gridDim.x) {
        const unsigned at = t % (elements / 4 / THREADS) * THREADS + threadIdx.x;
        float4 x = ((const float4 *)d.from)[at];
        x.y += x.x;
        x.z += x.y;
        x.w += x.z;
        float before = x.w;
        for (unsigned step = 1; step < 32; step *= 2) {
            const float other = __shfl_up_sync(~0u, before, step);
            if (lane >= step) before += other;
        }
        if (lane == 31) sums[warp] = before;
        before -= x.w;
        __syncthreads();
        for (unsigned w = 0; w < warp; w++) before += sums[w];
        __syncthreads();
        ((float4 *)d.to)[at] = make_float4(x.x + before, x.y + before, x.z + before, x.w + before);
    }
}

__device__ float of_block(float x, float *sums)
{
    for (int lane = 16; lane; lane /= 2) x += __shfl_xor_sync(~0u, x, lane);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0;
    for (int w = 0; w < THREADS / 32; w++) x += sums[w];
    __syncthreads();
    return x;
}

/* Layer normalisation of rows of 2048. */
__global__ void normalise(data d)
{
    WORK(18);
    __shared__ float sums[THREADS / 32];
#pragma unroll 1
    for (unsigned row = blockIdx.x; row < work * 1024; row += gridDim.x) {
        const unsigned at = row % (elements / 2048) * 2048 + threadIdx.x;
        float x[8], sum = 0, squares = 0;
        for (int i = 0; i < 8; i++) sum += x[i] = d.from[at + i * THREADS];
        const float mean = of_block(sum, sums) / 2048;
        for (int i = 0; i < 8; i++) squares += (x[i] - mean) * (x[i] - mean);
        const float scale = rsqrtf(of_block(squares, sums) / 2048 + 1e-5f);
        for (int i = 0; i < 8; i++) d.to[at + i * THREADS] = (x[i] - mean) * scale;
    }
}

__global__ void bodies(data d)
{
    WORK(19);
    __shared__ float4 body[THREADS];
    body[threadIdx.x] = ((const float4 *)d.from)[threadIdx.x];
    const float4 mine = ((const float4 *)d.from)[thread_number()];
    float x = 0, y = 0, z = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned i = 0; i < work; i++) {
        const float4 other = body[i % THREADS];
        const float dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z,
                    inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f),
                    force = other.w * inverse * inverse * inverse;
        x += dx * force;
        y += dy * force;
        z += dz * force;
    }
    d.to[thread_number()] = x + y + z;
}

} // namespace gate

static const struct {
    const char *name;
    void (*kernel)(data);
    int blocks, threads, times;
} kernels[20] = {
    {"chain", gate::chain, SM, 128, 12},
    {"barriers", gate::barriers, SM, THREADS, 12},
    {"shuffles", gate::shuffles, SM, THREADS, 12},
    {"functions", gate::functions, FULL, THREADS, 12},
    {"axpy", gate::axpy, SM, 128, 12},
    {"histogram", gate::histogram, SM, THREADS, 6},
    {"gather", gate::gather, 4 * SM, THREADS, 6},
    {"chase", gate::chase, SM, 32, 6},
    {"sum", gate::sum, FULL, THREADS, 6},
    {"copy", gate::copy, FULL, THREADS, 6},
    {"transpose", gate::transpose, FULL, THREADS, 6},
    {"stencil", gate::stencil, FULL, THREADS, 6},
    {"product", gate::product, SIDE / 16 * (SIDE / 16), THREADS, 1},
    {"atomics", gate::atomics, SM, THREADS, 1},
    {"strided", gate::strided, FULL, THREADS, 1},
    {"conflicts", gate::conflicts, FULL, THREADS, 1},
    {"hashes", gate::hashes, FULL, THREADS, 1},
    {"prefix", gate::prefix, FULL, THREADS, 1},
    {"normalise", gate::normalise, FULL, THREADS, 1},
    {"bodies", gate::bodies, FULL, THREADS, 1},
};

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "amounts")) {
        for (int k = 0; k < 20; k++) printf("%s %d\n", kernels[k].name, amount[k]);
        return 0;
    }
    data d;
    if (cudaMalloc(&d.from, elements * sizeof *d.from) ||
        cudaMalloc(&d.to, elements * sizeof *d.to) ||
        cudaMalloc(&d.table, (table_mask + 1) * sizeof *d.table) ||
        cudaMalloc(&d.counts, (table_mask + 1) * sizeof *d.counts))
        return 3;
    /* Long enough for the clock to rise. */
    for (int i = 0; i < 100; i++) fill<<<FULL, THREADS>>>(d);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < 20; k++)
            for (int i = 0; i < kernels[k].times; i++)
                kernels[k].kernel<<<kernels[k].blocks, kernels[k].threads>>>(d);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    return error ? 3 : 0;
}
