/*
 * Rung 2: tensor cores, fed from global memory.
 *
 * A warp computes 64 x 64 elements of C as 4 x 8 products of the tensor cores, each 16 x 8 elements
 * and 16 deep (mma.sync). The lanes of a warp hold the factors of a product in a fixed arrangement,
 * which pairs neighbours along K. In a row of A they are neighbours in memory, and a lane loads
 * four bytes; in B they are in two rows, and a lane loads two bytes twice.
 *
 * Remaining cost: each warp loads all that it needs, and a block's warps need the same rows and
 * columns; a load touches eight rows of A or four of B, 16 bytes of each. No warp multiplies while
 * it waits for its fragments.
 */
#include "mma_tile.h"

static __device__ inline uint32_t load_word(const bfloat16 *from)
{
    return __ldg(reinterpret_cast<const unsigned *>(from));
}

/* The fragments at one step; `a` and `b` are the lane's first elements. */
static __device__ inline void load_fragments(struct fragments *to, const bfloat16 *a,
                                             const bfloat16 *b, unsigned n, unsigned k)
{
#pragma unroll
    for (int i = 0; i < MATRICES_M; i++)
#pragma unroll
        for (int part = 0; part < 4; part++)
            to->a[i][part] = load_word(a + (16 * i + part % 2 * 8) * k + part / 2 * 8);
#pragma unroll
    for (int j = 0; j < MATRICES_N; j++)
#pragma unroll
        for (int pair = 0; pair < 2; pair++) {
            const bfloat16 *low = b + 8 * pair * n + 8 * j;
            to->b[j / 2][j % 2 * 2 + pair] = __ldg(low) | (uint32_t)__ldg(low + n) << 16;
        }
}

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tensor_mma_global(const bfloat16 *__restrict__ a, const bfloat16 *__restrict__ b,
                           float *__restrict__ c, unsigned m, unsigned n, unsigned k)
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32,
                   row = blockIdx.y * TILE_M + warp_row(warp),
                   column = blockIdx.x * TILE_N + warp_column(warp);
    if (row >= m || column >= n) return;
    struct sums sums;
    clear_sums(&sums);
    a += (row + lane / 4) * k + lane % 4 * 2;
    b += lane % 4 * 2 * n + column + lane / 4;
#pragma unroll 1
    for (unsigned i = 0; i < k; i += 16) {
        struct fragments f;
        load_fragments(&f, a + i, b + i * n, n, k);
        multiply_fragments(&sums, f);
    }
    store_sums(c, m, n, sums);
}

static const char *refuses(const struct point *point, int compute_capability)
{
    const char *reason = refuse_before_bfloat16(compute_capability);
    return reason ? reason
                  : refuse_ragged(point, WARP_TILE, WARP_TILE, 16,
                                  "M and N must be multiples of 64, K of 16: this rung has no code "
                                  "for the borders");
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Tensor cores",
    .after = "01_cuda_cores",
    .suffers = "A multiply-add is an instruction of a lane, and the tensor cores are idle.",
    .changes = "A warp multiplies 16 x 16 by 16 x 8 elements in one instruction of the tensor "
               "cores, and computes 64 x 64 of C; its lanes load the factors from global memory.",
    .pays = "Each warp loads all its factors itself, 16 bytes from each of several rows at a time, "
            "and waits for them at each step.",
    .claims =
        {
            {"The tensor cores do the multiply-adds, and the lanes do none.", "whyfast",
             "Aim of this rung", NULL, "tensor_operations >= useful_operations AND fp32_fma = 0"},
            {"Tensor cores are faster than CUDA cores even if nothing is shared.", "whyfast",
             "Aim of this rung", NULL, "faster"},
        },
    .refuses = refuses,
    .plan = plan_by<gemm_plan, gemm_tensor_mma_global, TILE_M, TILE_N, THREADS>,
    .excess_wavefronts = no_excess_wavefronts,
};
