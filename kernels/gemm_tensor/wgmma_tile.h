/*
 * Shares code between the rungs that multiply with wgmma: how slices of A and B lie in shared
 * memory, their product, how a warpgroup stores its sums, and how the rungs are launched. Nothing
 * is owned.
 *
 * A stage of shared memory holds a slice, 64 k deep: A as rows of 64 k, then B as strips of 64
 * columns (wgmma.h). A warpgroup computes BLOCKS_M x 64 rows of C.
 */
#ifndef KERNELS_GEMM_TENSOR_WGMMA_TILE_H
#define KERNELS_GEMM_TENSOR_WGMMA_TILE_H

#include "tensor.h"
#include "wgmma.h"

enum { SLICE = STRIP, STRIP_BYTES = SLICE * SWIZZLE };

static inline const char *refuse_before_wgmma(int compute_capability)
{
    return compute_capability / 10 != 9
               ? "the instructions of a warpgroup exist only on compute capability 9.0"
               : NULL;
}

static inline const char *refuse_wgmma(const struct point *point, int compute_capability)
{
    const char *reason = refuse_before_wgmma(compute_capability);
    return reason ? reason : refuse_unaligned(point);
}

/* Maps of A and B. A copy takes `rows` rows of a slice of A, or a strip of a slice of B. */
static inline void map_factors(struct launch *launch, const struct point *point, const void *a,
                               uint64_t pitch_a, unsigned rows, const void *b, uint64_t pitch_b)
{
    launch->tensor_map_count = 2;
    launch->tensor_map[0] = {a,    gemm_m(point), gemm_k(point), pitch_a * sizeof(bfloat16),
                             rows, SLICE,         SWIZZLE,       ELEMENT_BFLOAT16};
    launch->tensor_map[1] = {b,     gemm_k(point), gemm_n(point), pitch_b * sizeof(bfloat16),
                             SLICE, STRIP,         SWIZZLE,       ELEMENT_BFLOAT16};
}

/* The same for the inputs as they are. */
static inline void map_inputs(struct launch *launch, const struct work *work, unsigned rows)
{
    map_factors(launch, &work->point, work->input[0], gemm_k(&work->point), rows, work->input[1],
                gemm_n(&work->point));
}

static __device__ inline uint32_t align_to_blocks(uint32_t address)
{
    return (address + SWIZZLE_BLOCK - 1) / SWIZZLE_BLOCK * SWIZZLE_BLOCK;
}

/* sum += product of a slice, or = if `add` is 0. The operands begin at a and b; the instructions
 * are not complete yet. Exchanged, the sums are those of the transposed product: the first operand
 * of an instruction is a strip of B, whose 64 columns take as many bytes as 64 rows of A, and the
 * second one WIDTH rows of A. */
template <int BLOCKS, int WIDTH, int OPERANDS = WGMMA_K_MAJOR_FIRST>
static __device__ inline void multiply_stage(float (&sum)[BLOCKS][WIDTH / 2], uint32_t a,
                                             uint32_t b, int add)
{
    constexpr int exchanged = OPERANDS == WGMMA_K_MAJOR_SECOND,
                  step_first = exchanged ? WGMMA_STEP_B : WGMMA_STEP_A,
                  step_second = exchanged ? WGMMA_STEP_A : WGMMA_STEP_B;
    const uint64_t of_a = wgmma_operand(a, 0), of_b = wgmma_operand(b, STRIP_BYTES),
                   first = exchanged ? of_b : of_a, second = exchanged ? of_a : of_b;
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < BLOCKS; i++)
#pragma unroll
        for (int step = 0; step < SLICE / WGMMA_K; step++)
            wgmma<WIDTH, WGMMA_BFLOAT16, OPERANDS>(
                sum[i], first + ((i * STRIP_BYTES + step * step_first) >> 4),
                second + (step * step_second >> 4), add || step > 0);
    wgmma_commit();
}

/* Stores 64 rows of a warpgroup's sums from `row` on: each lane pairs of neighbouring columns. N
 * is even. */
template <int COLUMNS>
static __device__ inline void store_pairs(float *c, int m, int n, int row, int column, int thread,
                                          const float (&sum)[COLUMNS / 2])
{
    const int r = row + thread / 4 % 8 + thread / 32 * 16, first = column + thread % 4 * 2;
    float *to = c + (size_t)r * n;
#pragma unroll
    for (int j = 0; j < COLUMNS / 8; j++) {
        const int at = first + j * 8;
        if (at < n && r < m)
            *reinterpret_cast<float2 *>(to + at) = make_float2(sum[4 * j], sum[4 * j + 1]);
        if (at < n && r + 8 < m)
            *reinterpret_cast<float2 *>(to + (size_t)8 * n + at) =
                make_float2(sum[4 * j + 2], sum[4 * j + 3]);
    }
}

#endif
