#include "measure/ceiling_kernels.h"

#include <cuda_runtime.h>

extern "C" {
#include "base/message.h"
}

/* The arguments of all kernels, so that one table launches them. */
#define PARAMETERS const uint4 *from, uint4 *to, size_t count, uint32_t loops, uint32_t *sums

/* Leaves the sum over the block. */
static __device__ void leave_sum(uint32_t value, uint32_t *sums)
{
    __shared__ uint32_t of_warp[32];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    value = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x == 0) sums[blockIdx.x] = value;
}

static __device__ uint4 element(size_t index)
{
    const struct ceiling_words words = ceiling_words((uint32_t)index);
    return make_uint4(words.x, words.y, words.z, words.w);
}

static __device__ void add(struct ceiling_words *sum, uint4 value)
{
    sum->x += value.x;
    sum->y += value.y;
    sum->z += value.z;
    sum->w += value.w;
}

/* Bypasses the L1 cache. */
static __device__ uint4 load_l2(const uint4 *from)
{
    uint4 value;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(from));
    return value;
}

static __device__ uint32_t load_word_l2(const void *from)
{
    uint32_t word;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(from));
    return word;
}

/* Volatile for the assembler too, so that repeated reads are repeated loads. */
static __device__ uint4 load_shared(uint32_t address)
{
    uint4 value;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "r"(address));
    return value;
}

static __global__ void empty(PARAMETERS)
{
}

/* Loads a thread's elements of a tile. */
template <int UNROLL> static __device__ void load_tile(uint4 (&value)[UNROLL], const uint4 *from)
{
#pragma unroll
    for (int k = 0; k < UNROLL; k++) value[k] = from[k * blockDim.x];
}

/* A block takes every gridDim.x-th tile of UNROLL elements per thread; all of a tile's loads are
 * issued before the first is added. */
template <int UNROLL> static __global__ void __launch_bounds__(1024) read_once(PARAMETERS)
{
    struct ceiling_words sum = {0, 0, 0, 0};
    const size_t tile = (size_t)UNROLL * blockDim.x, step = gridDim.x * tile;
    for (size_t i = blockIdx.x * tile + threadIdx.x; i < count; i += step) {
        uint4 value[UNROLL];
        load_tile(value, from + i);
#pragma unroll
        for (int k = 0; k < UNROLL; k++) add(&sum, value[k]);
    }
    leave_sum(ceiling_weigh(sum), sums);
}

template <int UNROLL> static __global__ void __launch_bounds__(1024) write_once(PARAMETERS)
{
    const size_t tile = (size_t)UNROLL * blockDim.x, step = gridDim.x * tile;
    for (size_t i = blockIdx.x * tile + threadIdx.x; i < count; i += step) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++) to[i + k * blockDim.x] = element(i + k * blockDim.x);
    }
}

template <int UNROLL> static __global__ void __launch_bounds__(1024) copy_once(PARAMETERS)
{
    const size_t tile = (size_t)UNROLL * blockDim.x, step = gridDim.x * tile;
    for (size_t i = blockIdx.x * tile + threadIdx.x; i < count; i += step) {
        uint4 value[UNROLL];
        load_tile(value, from + i);
#pragma unroll
        for (int k = 0; k < UNROLL; k++) to[i + k * blockDim.x] = value[k];
    }
}

/* The blocks change places in every round, so that an SM reads data that others read before. */
template <int UNROLL> static __global__ void __launch_bounds__(1024) read_l2(PARAMETERS)
{
    struct ceiling_words sum = {0, 0, 0, 0};
    const uint32_t elements = (uint32_t)count, tile = UNROLL * blockDim.x, step = gridDim.x * tile;
    uint32_t place = blockIdx.x;
    for (uint32_t loop = 0; loop < loops; loop++) {
        for (uint32_t i = place * tile + threadIdx.x; i < elements; i += step) {
            uint4 value[UNROLL];
#pragma unroll
            for (int k = 0; k < UNROLL; k++) value[k] = load_l2(from + i + k * blockDim.x);
#pragma unroll
            for (int k = 0; k < UNROLL; k++) add(&sum, value[k]);
        }
        place = place + 1 < gridDim.x ? place + 1 : 0;
    }
    leave_sum(ceiling_weigh(sum), sums);
}

/* Neighbouring lanes read neighbouring 16 bytes: four wavefronts for the 512 bytes of a warp,
 * which is the ideal. */
static __global__ void __launch_bounds__(CEILING_THREADS) read_shared(PARAMETERS)
{
    __shared__ uint4 tile[CEILING_TILE];
    enum { SLOTS = CEILING_TILE / CEILING_THREADS };
    struct ceiling_words sum = {0, 0, 0, 0};
    for (int slot = 0; slot < SLOTS; slot++)
        tile[slot * CEILING_THREADS + threadIdx.x] = element(slot * CEILING_THREADS + threadIdx.x);
    __syncthreads();
    const uint32_t mine = (uint32_t)__cvta_generic_to_shared(tile + threadIdx.x);
#pragma unroll 4
    for (uint32_t loop = 0; loop < loops; loop++) {
        uint4 value[SLOTS];
#pragma unroll
        for (int slot = 0; slot < SLOTS; slot++)
            value[slot] = load_shared(mine + slot * CEILING_THREADS * (uint32_t)sizeof(uint4));
#pragma unroll
        for (int slot = 0; slot < SLOTS; slot++) add(&sum, value[slot]);
    }
    leave_sum(ceiling_weigh(sum), sums);
}

/* Loads four matrices of 8 rows of 16 bytes; lane l gives the address of a row. A lane gets a word
 * of four rows, always the one of its number modulo 4. */
static __device__ uint4 load_matrices(uint32_t address)
{
    uint4 value = make_uint4(0, 0, 0, 0);
#if __CUDA_ARCH__ >= 750
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "r"(address));
#endif
    return value;
}

/* Neighbouring lanes give neighbouring rows. Each loop begins at another row, so that repeated
 * loads have other addresses and stay in the code. */
static __global__ void __launch_bounds__(CEILING_THREADS) read_matrices(PARAMETERS)
{
    __shared__ uint4 tile[CEILING_TILE];
    enum { SLOTS = CEILING_TILE / CEILING_THREADS, BYTES = CEILING_TILE * sizeof(uint4) };
    uint32_t sum = 0, offset = threadIdx.x * (uint32_t)sizeof(uint4);
    for (int slot = 0; slot < SLOTS; slot++)
        tile[slot * CEILING_THREADS + threadIdx.x] = element(slot * CEILING_THREADS + threadIdx.x);
    __syncthreads();
    const uint32_t first = (uint32_t)__cvta_generic_to_shared(tile);
#pragma unroll 1
    for (uint32_t loop = 0; loop < loops; loop++) {
        uint4 value[SLOTS];
#pragma unroll
        for (int slot = 0; slot < SLOTS; slot++) {
            value[slot] = load_matrices(first + offset);
            offset = (offset + BYTES / SLOTS) % BYTES;
        }
#pragma unroll
        for (int slot = 0; slot < SLOTS; slot++)
            sum += value[slot].x + value[slot].y + value[slot].z + value[slot].w;
        offset = (offset + BYTES / SLOTS) % BYTES;
    }
    leave_sum((2 * (threadIdx.x % 4) + 1) * sum, sums);
}

static __global__ void __launch_bounds__(CEILING_THREADS) multiply_add(PARAMETERS)
{
    const unsigned lane = threadIdx.x % 32;
    const float factor = ceiling_fma_factor(lane), addend = ceiling_fma_addend(lane);
    float chain[CEILING_CHAINS];
#pragma unroll
    for (int k = 0; k < CEILING_CHAINS; k++) chain[k] = ceiling_fma_start(lane, k);
    for (uint32_t loop = 0; loop < loops; loop += CEILING_UNROLLED) {
#pragma unroll
        for (int step = 0; step < CEILING_UNROLLED; step++) {
#pragma unroll
            for (int k = 0; k < CEILING_CHAINS; k++) chain[k] = __fmaf_rn(chain[k], factor, addend);
        }
    }
    uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < CEILING_CHAINS; k++) sum += (2 * k + 1) * __float_as_uint(chain[k]);
    leave_sum(sum, sums);
}

/* Pairs of chains that depend on each other: every addition has three registers, which nothing can
 * reduce, so that each is one IADD3. */
static __global__ void __launch_bounds__(CEILING_THREADS) add_three(PARAMETERS)
{
    const struct ceiling_words seed = ceiling_words(threadIdx.x);
    uint32_t chain[CEILING_CHAINS];
#pragma unroll
    for (int k = 0; k < CEILING_CHAINS; k++) chain[k] = seed.x + k;
    for (uint32_t loop = 0; loop < loops; loop += CEILING_UNROLLED) {
#pragma unroll
        for (int step = 0; step < CEILING_UNROLLED; step++) {
#pragma unroll
            for (int k = 0; k < CEILING_CHAINS; k += 2) {
                chain[k] = chain[k] + chain[k + 1] + seed.y;
                chain[k + 1] = chain[k + 1] + chain[k] + seed.z;
            }
        }
    }
    uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < CEILING_CHAINS; k++) sum += (2 * k + 1) * chain[k];
    leave_sum(sum, sums);
}

/* The address of each load depends on the word that the last one brought: the word times a factor
 * that is 0, which the compiler cannot know. The sum is not on that path. */
static __global__ void __launch_bounds__(CEILING_THREADS) chase(PARAMETERS)
{
    const uint32_t zero = loops >> 24;
    uint32_t sum = 0, word = 0;
    if (threadIdx.x == 0) {
        const char *next = (const char *)from;
#pragma unroll 4
        for (uint32_t hop = 0; hop < loops; hop++, next += CEILING_HOP * sizeof *from) {
            word = load_word_l2(next + (uint64_t)word * zero);
            sum += word;
        }
    }
    leave_sum(sum, sums);
}

/* Each thread reads the word that a thread of another warp wrote before the barriers. */
static __global__ void __launch_bounds__(CEILING_THREADS) pass_barriers(PARAMETERS)
{
    __shared__ uint32_t words[CEILING_THREADS];
    uint32_t passed = 0;
    words[threadIdx.x] = ceiling_words(threadIdx.x).x;
#pragma unroll 8
    for (uint32_t loop = 0; loop < loops; loop++) {
        __syncthreads();
        asm volatile("add.u32 %0, %0, 1;" : "+r"(passed));
    }
    leave_sum(words[blockDim.x - 1 - threadIdx.x] + passed, sums);
}

static __global__ void __launch_bounds__(CEILING_THREADS) add_atomically(PARAMETERS)
{
    if (threadIdx.x % 32) return;
#pragma unroll 8
    for (uint32_t loop = 0; loop < loops; loop++) atomicAdd(sums, 1);
}

static __global__ void count_wrong(const uint4 *buffer, size_t count, uint32_t *wrong)
{
    uint32_t found = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        const uint4 is = buffer[i], expected = element(i);
        found +=
            is.x != expected.x || is.y != expected.y || is.z != expected.z || is.w != expected.w;
    }
    if (found) atomicAdd(wrong, found);
}

/* ---- launches -------------------------------------------------------------------------------- */

#define BY_UNROLL(kernel)                                                                          \
    {                                                                                              \
        (const void *)kernel<1>, (const void *)kernel<2>, (const void *)kernel<4>,                 \
            (const void *)kernel<8>                                                                \
    }
#define ONE(kernel)                                                                                \
    {                                                                                              \
        (const void *)kernel, (const void *)kernel, (const void *)kernel, (const void *)kernel     \
    }

/* In the order of enum ceiling_kernel; columns: 1, 2, 4, 8 elements in flight. */
static const void *const functions[CEILING_KERNEL_COUNT][4] = {
    ONE(empty),         BY_UNROLL(read_once), BY_UNROLL(write_once), BY_UNROLL(copy_once),
    BY_UNROLL(read_l2), ONE(read_shared),     ONE(read_matrices),    ONE(multiply_add),
    ONE(add_three),     ONE(chase),           ONE(pass_barriers),    ONE(add_atomically),
    ONE(empty),
};

static const void *function_of(const struct ceiling_launch *launch, size_t *shared_bytes)
{
    if (ceiling_is_product(launch->kernel))
        return ceiling_product_function(launch->kernel, shared_bytes);
    *shared_bytes = 0;
    return functions[launch->kernel][launch->unroll >= 8 ? 3 : launch->unroll / 2];
}

static int checked(cudaError_t status, const char *what)
{
    if (status == cudaSuccess) return 0;
    return error(FAIL_GPU, "ceilings: %s: %s", what, cudaGetErrorString(status));
}

extern "C" int ceiling_launch(const struct ceiling_launch *launch)
{
    struct ceiling_launch l = *launch;
    if (launch->kernel == CEILING_CLEAR) {
        const int result =
            checked(cudaMemsetAsync(l.sums, 0, sizeof *l.sums, (cudaStream_t)l.stream), "clear");
        if (result) return result;
    }
    void *arguments[] = {&l.from, &l.to, &l.count, &l.loops, &l.sums};
    size_t shared_bytes;
    const void *function = function_of(launch, &shared_bytes);
    return checked(cudaLaunchKernel(function, dim3(l.blocks), dim3(l.threads), arguments,
                                    shared_bytes, (cudaStream_t)l.stream),
                   "launch");
}

extern "C" int ceiling_blocks_per_sm(const struct ceiling_launch *launch, int *blocks)
{
    const int reads_shared =
        launch->kernel == CEILING_READ_SHARED || launch->kernel == CEILING_LDMATRIX;
    size_t shared_bytes;
    const void *function = function_of(launch, &shared_bytes);
    /* Else the driver may keep a part of the shared memory for the L1 cache, and blocks wait. */
    cudaError_t status =
        !reads_shared
            ? cudaSuccess
            : cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout,
                                   cudaSharedmemCarveoutMaxShared);
    if (status == cudaSuccess && shared_bytes)
        status = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)shared_bytes);
    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function,
                                                               (int)launch->threads, shared_bytes);
    return checked(status, "occupancy");
}

extern "C" int ceiling_count_wrong(const struct ceiling_launch *launch, uint32_t *wrong)
{
    cudaStream_t stream = (cudaStream_t)launch->stream;
    const int result = checked(cudaMemsetAsync(wrong, 0, sizeof *wrong, stream), "check");
    if (result) return result;
    count_wrong<<<1024, 256, 0, stream>>>((const uint4 *)launch->to, launch->count, wrong);
    return checked(cudaGetLastError(), "check");
}
