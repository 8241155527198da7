#include "measure/ceiling_kernels.h"

#include <cuda_runtime.h>

/* The instructions that this architecture has. wgmma exists only in code for sm_90a. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define MMA_HERE
#endif
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define WGMMA_HERE
#endif

/* The arguments of the ceilings' kernels (measure/ceiling_kernels.cu). */
#define PARAMETERS const uint4 *, uint4 *, size_t, uint32_t loops, uint32_t *sums

enum { WARPS = CEILING_THREADS / 32 };

#ifdef MMA_HERE
/* Leaves the sum over the block as the bits of a float. */
static __device__ void leave_float(float value, uint32_t *sums)
{
    __shared__ float of_warp[WARPS];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int warp = 1; warp < WARPS; warp++) value += of_warp[warp];
    sums[blockIdx.x] = __float_as_uint(value);
}

/* ---- products of a warp ---------------------------------------------------------------------- */

/* Two neighbouring elements of a matrix, the first in the lower half. */
static __device__ uint32_t element_pair(uint32_t index)
{
    return ceiling_bf16(index) | (uint32_t)ceiling_bf16(index + 1) << 16;
}

static __device__ void multiply(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, "
                 "%6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

/* Every chain adds up the products of other pairs of matrices, and consecutive products of a warp
 * differ in at least one. The operands stay in registers. */
static __global__ void __launch_bounds__(CEILING_THREADS) multiply_warps(PARAMETERS)
{
#ifdef MMA_HERE
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane / 4,
                   k = lane % 4 * 2;
    uint32_t a[CEILING_MMA_A][4], b[CEILING_MMA_B][2];
    float c[CEILING_CHAINS][4];
#pragma unroll
    for (int m = 0; m < CEILING_MMA_A; m++)
#pragma unroll
        for (int part = 0; part < 4; part++)
            a[m][part] = element_pair(ceiling_mma_a(warp, m, row + part % 2 * 8, k + part / 2 * 8));
#pragma unroll
    for (int m = 0; m < CEILING_MMA_B; m++)
#pragma unroll
        for (int part = 0; part < 2; part++)
            b[m][part] = element_pair(ceiling_mma_b(warp, m, k + part * 8, row));
#pragma unroll
    for (int chain = 0; chain < CEILING_CHAINS; chain++)
#pragma unroll
        for (int i = 0; i < 4; i++) c[chain][i] = 0;
    for (uint32_t loop = 0; loop < loops; loop += CEILING_MMA_STEPS) {
#pragma unroll
        for (int step = 0; step < CEILING_MMA_STEPS; step++)
#pragma unroll
            for (int chain = 0; chain < CEILING_CHAINS; chain++)
                multiply(c[chain], a[ceiling_mma_first(chain, step)],
                         b[ceiling_mma_second(chain, step)]);
    }
    float sum = 0;
#pragma unroll
    for (int chain = 0; chain < CEILING_CHAINS; chain++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            sum += c[chain][i] *
                   ceiling_sign(blockIdx.x, ceiling_mma_c(warp, chain, row + i / 2 * 8, k + i % 2));
    leave_float(sum, sums);
#else
    if (threadIdx.x == 0) sums[blockIdx.x] = CEILING_NOT_HERE;
#endif
}

/* ---- products of a warpgroup ----------------------------------------------------------------- */

/* Both operands lie in rows of 128 bytes, 64 elements along k, whose 16-byte pieces are permuted by
 * the row's index modulo 8 (the 128-byte swizzle). */
enum {
    ROW_BYTES = CEILING_WGMMA_K * 2,
    BLOCK_BYTES = 8 * ROW_BYTES,
    A_BYTES = CEILING_WGMMA_M * ROW_BYTES,
    GROUP_ROWS = 64, /* of an instruction */
    GROUP_A_BYTES = GROUP_ROWS * ROW_BYTES,
    STEP_BYTES = 16 * 2, /* from one instruction to the next along k */
    ACCUMULATORS = CEILING_WGMMA_N * GROUP_ROWS / 128
};

#ifdef WGMMA_HERE
static __device__ uint32_t swizzled(unsigned row, unsigned k)
{
    return row * ROW_BYTES + ((k / 8) ^ (row % 8)) * 16 + k % 8 * 2;
}

static __device__ uint64_t operand(uint32_t address)
{
    return (address >> 4 & 0x3FFF) | (uint64_t)1 << 16 | (uint64_t)(BLOCK_BYTES >> 4) << 32 |
           (uint64_t)1 << 62;
}

#define C8(c, i)                                                                                   \
    "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3]), "+f"(c[i + 4]), "+f"(c[i + 5]),    \
        "+f"(c[i + 6]), "+f"(c[i + 7])
#define C32(c, i) C8(c, i), C8(c, i + 8), C8(c, i + 16), C8(c, i + 24)

/* c += a b: 64 x 256 sums over 16 k. */
static __device__ void multiply_group(float (&c)[ACCUMULATORS], uint64_t a, uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
        "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "
        "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
        "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, "
        "%74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, "
        "%92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "
        "%108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, "
        "%123, %124, %125, %126, %127}, %128, %129, 1, 1, 1, 0, 0;"
        : C32(c, 0), C32(c, 32), C32(c, 64), C32(c, 96)
        : "l"(a), "l"(b));
}
#endif

/* Two warpgroups take turns at the tensor cores: while one waits for its group of products, those
 * of the other are under way. The operands stay in shared memory. */
static __global__ void __launch_bounds__(CEILING_THREADS) multiply_warpgroups(PARAMETERS)
{
#ifdef WGMMA_HERE
    extern __shared__ __align__(1024) unsigned char tiles[];
    unsigned char *a = tiles, *b = tiles + A_BYTES;
    for (unsigned i = threadIdx.x; i < CEILING_WGMMA_M * CEILING_WGMMA_K; i += blockDim.x)
        *(uint16_t *)(a + swizzled(i / CEILING_WGMMA_K, i % CEILING_WGMMA_K)) =
            ceiling_bf16(ceiling_wgmma_a(i / CEILING_WGMMA_K, i % CEILING_WGMMA_K));
    for (unsigned i = threadIdx.x; i < CEILING_WGMMA_N * CEILING_WGMMA_K; i += blockDim.x)
        *(uint16_t *)(b + swizzled(i / CEILING_WGMMA_K, i % CEILING_WGMMA_K)) =
            ceiling_bf16(ceiling_wgmma_b(i % CEILING_WGMMA_K, i / CEILING_WGMMA_K));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned group = threadIdx.x / 128;
    const uint64_t first = operand((uint32_t)__cvta_generic_to_shared(a) + group * GROUP_A_BYTES),
                   second = operand((uint32_t)__cvta_generic_to_shared(b));
    float c[ACCUMULATORS];
#pragma unroll
    for (int i = 0; i < ACCUMULATORS; i++) c[i] = 0;
    for (uint32_t loop = 0; loop < loops; loop++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int step = 0; step < CEILING_WGMMA_K / 16; step++)
            multiply_group(c, first + step * (STEP_BYTES >> 4), second + step * (STEP_BYTES >> 4));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    const unsigned lane = threadIdx.x % 32,
                   row = group * GROUP_ROWS + threadIdx.x % 128 / 32 * 16 + lane / 4;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < ACCUMULATORS; i++)
        sum += c[i] * ceiling_sign(blockIdx.x, ceiling_wgmma_c(row + i / 2 % 2 * 8,
                                                               i / 4 * 8 + lane % 4 * 2 + i % 2));
    leave_float(sum, sums);
#else
    if (threadIdx.x == 0) sums[blockIdx.x] = CEILING_NOT_HERE;
#endif
}

extern "C" const void *ceiling_product_function(enum ceiling_kernel kernel, size_t *shared_bytes)
{
    *shared_bytes = kernel == CEILING_WGMMA ? A_BYTES + CEILING_WGMMA_N * ROW_BYTES : 0;
    return kernel == CEILING_WGMMA ? (const void *)multiply_warpgroups
                                   : (const void *)multiply_warps;
}
