/*
 * Rung 19: the four squares of a warp are adjacent.
 *
 * This is rung 10 with the arrangement of kernel 10 of the sources: the four squares of a warp are
 * adjacent, so that each warp computes a tile of 32 x 64. In rung 10 they are 64 rows and columns
 * apart, and the squares of all warps together form one quarter of the block's tile.
 *
 * Remaining cost: that of rung 10.
 */
#include "classic.h"

static __global__ void __launch_bounds__(THREADS)
    gemm_contiguous_warp_tiles(const float *__restrict__ a, const float *__restrict__ b,
                               float *__restrict__ c, unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[2][TILE_K][TILE_M], tile_b[2][TILE_K][TILE_N];
    const struct position at = position_in_own_tile(threadIdx.x);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    multiply_double_buffered(sum, tile_a, tile_b, tiles_of_a(a, k), tiles_of_b(b), n, k, at);
    write_result(tile_of_c(c, n), n, sum, at);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Contiguous warp tiles",
    .after = "10_warp_tiles",
    .suffers = "The four squares of a warp are 64 rows and columns apart.",
    .changes = "The four squares of a warp are adjacent, so that each warp has 32 x 64 elements of "
               "its own.",
    .pays = "The squares of different warps no longer form one contiguous quarter of the tile.",
    .full_only = 1,
    .claims =
        {
            {"A contiguous tile for each warp may be slower than sgemm_v3's arrangement, whose "
             "contiguous data may suit the caches better. The source guesses this and asks for an "
             "experiment.",
             "GEMM double buffering notes", "Bank conflicts, kernel 10", NULL, "slower",
             .at_times = 1},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_contiguous_warp_tiles, TILE_M, TILE_N, THREADS>,
    .shared_accesses = list_tiles<address_own_tile_a, address_own_tile_b>,
};
