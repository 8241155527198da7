/*
 * Rung 10: every warp has a tile of its own: the source's sgemm_v3.
 *
 * This is rung 8 with another mapping from threads to elements. Warps are arranged as 4 x 2 and
 * lanes as 4 x 8, and a thread computes four squares of 4 x 4 elements, 64 rows and columns apart.
 * In each read a warp needs 16 neighbouring words of A and 32 of B, without bank conflicts.
 *
 * Remaining cost: the results are stored in four pieces; stores of A into shared memory still have
 * bank conflicts.
 */
#include "classic.h"

static __global__ void __launch_bounds__(THREADS)
    gemm_warp_tiles(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                    unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[2][TILE_K][TILE_M], tile_b[2][TILE_K][TILE_N];
    const struct position at = position_in_warp_tile(threadIdx.x);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    multiply_double_buffered(sum, tile_a, tile_b, tiles_of_a(a, k), tiles_of_b(b), n, k, at);
    write_result(tile_of_c(c, n), n, sum, at);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Warp tiles, conflict-free reads",
    .after = "08_double_buffer",
    .suffers = "Reads of B have bank conflicts.",
    .changes = "Warps are arranged as 4 x 2, lanes as 4 x 8, with four squares of 4 x 4 per "
               "thread: a warp reads neighbouring words.",
    .pays = "Results are stored in four pieces, and stores of A into shared memory still have bank "
            "conflicts.",
    .claims =
        {
            {"The reads have no bank conflicts.", "GEMM double buffering notes",
             "Bank conflicts, sgemm_v3", NULL,
             "closed_form_excess_reads_a = 0 AND closed_form_excess_reads_b = 0 AND "
             "load_excess_wavefronts < 0.001 * prev_load_excess_wavefronts"},
            {"Resolving the bank conflicts makes the kernel with double buffering faster.",
             "GEMM double buffering notes", "Foreword", NULL, "faster"},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_warp_tiles, TILE_M, TILE_N, THREADS>,
    .shared_accesses = list_tiles<address_warp_tile_a, address_warp_tile_b>,
};
