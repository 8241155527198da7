// A program whose kernels have costs that can be knocked out, and pitfalls of doing so. Each word
// of the command line runs kernels: "plain" those with costs; "pitfalls" those that steer by what
// they load, elect, or keep values between launches; "waits" one that waits for the host. Short
// kernels are launched more often, so that each takes more than 2 % of the time.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                               \
    if ((call) != cudaSuccess) {                                                                  \
        printf("%s: %s\n", #call, cudaGetErrorString(cudaGetLastError()));                        \
        exit(1);                                                                                  \
    }

enum { BLOCKS = 1056, THREADS = 256, ROUNDS = 200, OFTEN = 6, VERY_OFTEN = 30 };

// A column of 32 words by 32 lanes: every access is a conflict of 32 ways, or of none.
template <int PAD> __global__ void columns(const float *in, float *out)
{
    __shared__ float tile[32][32 + PAD];
    const int lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = threadIdx.x; i < 32 * 32; i += THREADS) tile[i / 32][i % 32] = in[i];
    __syncthreads();
    for (int r = 0; r < ROUNDS; r++) sum += tile[lane][(r + threadIdx.x / 32) % 32];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

template <int WAITS> __global__ void rounds(const float *in, float *out)
{
    __shared__ float ring[THREADS];
    float sum = in[threadIdx.x];
    for (int r = 0; r < ROUNDS; r++) {
        ring[threadIdx.x] = sum;
        if (WAITS)
            __syncthreads();
        else
            __syncwarp();
        sum += ring[threadIdx.x ^ 1];
        if (WAITS) __syncthreads();
    }
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// More than 48 KiB of dynamic shared memory.
__global__ void large_shared(const float *in, float *out)
{
    extern __shared__ float tile[];
    for (int i = threadIdx.x; i < 20000; i += THREADS) tile[i] = in[i];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < ROUNDS; r++) sum += tile[threadIdx.x * 32 + r];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

__constant__ float weights[256];
__device__ float offset = 1;
__global__ void constants(const float *in, float *out)
{
    float sum = offset;
    for (int r = 0; r < ROUNDS; r++) sum += weights[(threadIdx.x + r) % 256] * in[r];
    if (weights[3] != 7 || offset != 2) __trap();
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// Addresses and the number of rounds come from memory.
__global__ void chases(const unsigned *next, float *out, const float *in)
{
    unsigned at = threadIdx.x + blockIdx.x;
    float sum = 0;
    while ((at = next[at]) != ~0u) sum += in[at % THREADS];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

__global__ void elects(const unsigned *keys, unsigned *counts)
{
    __shared__ unsigned local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    for (int r = 0; r < ROUNDS; r++) {
        const unsigned key = keys[(threadIdx.x + r * 7) % 4096] % 64;
        const unsigned peers = __match_any_sync(~0u, key);
        if (threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(&local[key], __popc(peers));
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

__global__ void stack(const float *in, float *out, const int *order)
{
    float kept[64];
    for (int i = 0; i < 64; i++) kept[i] = in[i] * threadIdx.x;
    float sum = 0;
    for (int r = 0; r < ROUNDS; r++) sum += kept[order[r % 64] & 63];
    out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// Each launch continues the one before; a wrong value ends the program.
__global__ void continues(unsigned *state, unsigned expected)
{
    if (state[blockIdx.x * THREADS + threadIdx.x] != expected) __trap();
    __syncthreads();
    state[blockIdx.x * THREADS + threadIdx.x] = expected + 1;
}

// Blocks take tiles until a counter, which the host resets, has passed them all: a launch without
// the reset finds nothing to do.
__device__ unsigned next_tile;
__global__ void tickets(const float *in, float *out)
{
    __shared__ unsigned tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1);
        __syncthreads();
        const unsigned at = tile;
        if (at >= 8 * BLOCKS) return;
        float sum = 0;
        for (int r = 0; r < ROUNDS; r++) sum += in[(at + r * THREADS + threadIdx.x) % (1 << 18)];
        out[at / 8 * THREADS + threadIdx.x] = sum;
        __syncthreads();
    }
}

__global__ void waits_for_host(volatile unsigned *flag)
{
    while (!*flag) __nanosleep(1000);
    __syncthreads();
    *flag = 0;
}

static float *in, *out;

static void plain()
{
    const size_t shared = 20000 * sizeof(float);
    CHECK(cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    for (int i = 0; i < 10; i++) {
        columns<0><<<BLOCKS, THREADS>>>(in, out);
        for (int k = 0; k < OFTEN; k++) {
            columns<1><<<BLOCKS, THREADS>>>(in, out);
            rounds<1><<<BLOCKS, THREADS>>>(in, out);
            rounds<0><<<BLOCKS, THREADS>>>(in, out);
        }
        large_shared<<<BLOCKS, THREADS, shared>>>(in, out);
        CHECK(cudaDeviceSynchronize());
    }
}

static void pitfalls()
{
    static float weight[256];
    static unsigned next[8192];
    static int order[64];
    const float two = 2;
    unsigned *links, *state;
    int *places;
    for (int i = 0; i < 256; i++) weight[i] = i == 3 ? 7 : i;
    for (int i = 0; i < 8192; i++) next[i] = i + 61 < 8192 ? i + 61 : ~0u;
    for (int i = 0; i < 64; i++) order[i] = i * 37 % 64;
    CHECK(cudaMemcpyToSymbol(weights, weight, sizeof weight));
    CHECK(cudaMemcpyToSymbol(offset, &two, sizeof two));
    CHECK(cudaMalloc(&links, sizeof next));
    CHECK(cudaMalloc(&places, sizeof order));
    CHECK(cudaMalloc(&state, BLOCKS * THREADS * sizeof *state));
    CHECK(cudaMemset(state, 0, BLOCKS * THREADS * sizeof *state));
    CHECK(cudaMemcpy(links, next, sizeof next, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(places, order, sizeof order, cudaMemcpyHostToDevice));
    for (int i = 0; i < 10; i++) {
        constants<<<BLOCKS, THREADS>>>(in, out);
        for (int k = 0; k < OFTEN; k++) {
            chases<<<BLOCKS, THREADS>>>(links, out, in);
            elects<<<BLOCKS, THREADS>>>(links, (unsigned *)out);
            stack<<<BLOCKS, THREADS>>>(in, out, places);
        }
        for (int k = 0; k < VERY_OFTEN; k++)
            continues<<<BLOCKS, THREADS>>>(state, i * VERY_OFTEN + k);
        const unsigned first = 0;
        CHECK(cudaMemcpyToSymbol(next_tile, &first, sizeof first));
        tickets<<<BLOCKS / 4, THREADS>>>(in, out);
        CHECK(cudaDeviceSynchronize());
    }
}

static void waits()
{
    volatile unsigned *flag, *seen;
    CHECK(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&seen, (void *)flag, 0));
    for (int i = 0; i < 10; i++) {
        *flag = 1; // before the launch: profiled launches wait for their end
        waits_for_host<<<1, 32>>>(seen);
        CHECK(cudaDeviceSynchronize());
    }
}

int main(int count, char **word)
{
    CHECK(cudaMalloc(&in, 1 << 20));
    CHECK(cudaMalloc(&out, BLOCKS * THREADS * sizeof(float)));
    CHECK(cudaMemset(in, 0, 1 << 20));
    CHECK(cudaMemset(out, 0, BLOCKS * THREADS * sizeof(float)));
    for (int i = 1; i < count; i++) {
        if (!strcmp(word[i], "plain")) plain();
        if (!strcmp(word[i], "pitfalls")) pitfalls();
        if (!strcmp(word[i], "waits")) waits();
    }
    puts("done");
    return 0;
}
