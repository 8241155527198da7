/*
 * Rung 19: the four squares of a warp are adjacent.
 *
 * This is rung 10 with the order of tiles of the sources' "kernel 10", all else equal: each warp
 * has 32 x 64 adjacent elements of the block's tile and processes them in four steps of 16 x 32. In
 * rung 10 the four steps of a warp are 64 rows and columns apart, and the data of one step are
 * adjacent over all warps.
 *
 * Remaining cost: that of rung 10.
 */
#include "classic.h"

static __global__ void __launch_bounds__(THREADS)
    gemm_contiguous_warp_tiles(const float *__restrict__ a, const float *__restrict__ b,
                               float *__restrict__ c, unsigned m, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[2][TILE_K][TILE_M], tile_b[2][TILE_K][TILE_N];
    const struct position at = position_in_own_tile(threadIdx.x);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    multiply_double_buffered(sum, tile_a, tile_b, tiles_of_a(a, k), tiles_of_b(b), n, k, at);
    write_result(tile_of_c(c, n), n, sum, at);
    (void)m;
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    gemm_plan(work, launch, (const void *)gemm_contiguous_warp_tiles, TILE_M, TILE_N, THREADS);
}

static int accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    (void)index;
    return describe_stores(
        list, describe_reads(list, 0, warp_tiles(work), address_own_tile_a, address_own_tile_b),
        warp_tiles(work));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Contiguous warp tiles",
    .after = "10_warp_tiles",
    .suffers = "The four squares of a warp are 64 rows and columns apart.",
    .changes = "The four squares of a warp are adjacent, so that each warp has 32 x 64 elements of "
               "its own.",
    .pays = "The data of one step are no longer adjacent over all warps.",
    .full_only = 1,
    .declares = "shared_wavefronts = closed_form_load_wavefronts + closed_form_store_wavefronts",
    .claims =
        {
            {"Squares that are adjacent for each warp may suit the caches less than data of one "
             "step that are adjacent over all warps, and so be slower; the source guesses it and "
             "asks for an experiment.",
             "GEMM double buffering notes", "Bank conflicts, kernel 10", NULL,
             "speedup_prev_high < 1", .at_times = 1},
        },
    .refuses = refuse_untiled,
    .launch_count = launch_once,
    .plan = plan,
    .shared_accesses = accesses,
};
