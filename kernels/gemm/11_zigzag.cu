/*
 * Rung 11: lanes in a zigzag, as in maxas.
 *
 * This is rung 10 with the warps as 2 x 4 and the lanes as 8 x 4, numbered to and fro in pairs. A
 * warp reads 32 words of A and 16 of B. The pairs matter: when adjacent lanes share an address in
 * one operand, and lanes two apart share one in the other, the hardware serves both halves of
 * 16-byte reads together, in 2 wavefronts instead of 4.
 *
 * Remaining cost: stores of A into shared memory still have bank conflicts.
 */
#include "classic.h"

static __global__ void __launch_bounds__(THREADS)
    gemm_zigzag(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[2][TILE_K][TILE_M], tile_b[2][TILE_K][TILE_N];
    const struct position at = position_in_zigzag(threadIdx.x);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    multiply_double_buffered(sum, tile_a, tile_b, tiles_of_a(a, k), tiles_of_b(b), n, k, at);
    write_result(tile_of_c(c, n), n, sum, at);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Zigzag",
    .after = "10_warp_tiles",
    .suffers = "16-byte reads take four wavefronts if no neighbouring lanes share their words.",
    .changes = "Warps are arranged as 2 x 4, lanes as 8 x 4 in a zigzag, as in maxas.",
    .pays = "Stores of A into shared memory still have bank conflicts.",
    .claims =
        {
            {"A warp reads 32 words of A and 16 of B, so the reads have no bank conflicts.",
             "GEMM double buffering notes", "Bank conflicts, maxas", NULL,
             "closed_form_excess_reads_a = 0 AND closed_form_excess_reads_b = 0 AND "
             "abs(load_excess_wavefronts) < 0.001 * shared_wavefronts_load"},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_zigzag, TILE_M, TILE_N, THREADS>,
    .shared_accesses = list_tiles<address_zigzag_a, address_zigzag_b>,
};
