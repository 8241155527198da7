/*
 * Rung 18: lanes of 8 x 4 in a straight scan.
 *
 * This is rung 11 with the lanes numbered row by row, or column by column, instead of in a zigzag.
 * The warps, the squares and the words that a warp reads are the same.
 *
 * Remaining cost: one of the two operands is read in 4 wavefronts instead of 2, because its groups
 * of eight lanes are served one by one.
 */
#include "classic.h"

template <enum scan SCAN>
static __global__ void __launch_bounds__(THREADS)
    gemm_straight(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                  unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[2][TILE_K][TILE_M], tile_b[2][TILE_K][TILE_N];
    const struct position at = position_in_scan(threadIdx.x, SCAN);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    multiply_double_buffered(sum, tile_a, tile_b, tiles_of_a(a, k), tiles_of_b(b), n, k, at);
    write_result(tile_of_c(c, n), n, sum, at);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    gemm_plan(work, launch,
              work->point.sweep == SCAN_DOWN ? (const void *)gemm_straight<SCAN_DOWN>
                                             : (const void *)gemm_straight<SCAN_ACROSS>,
              TILE_M, TILE_N, THREADS);
}

static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    const double warps = warp_tiles(work);
    const int count = work->point.sweep == SCAN_DOWN
                          ? describe_reads(list, 0, warps, address_down_a, address_down_b)
                          : describe_reads(list, 0, warps, address_across_a, address_across_b);
    return describe_stores(list, count, warps);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Straight 8 x 4",
    .after = "11_zigzag",
    .suffers = "A zigzag is an unusual order of the lanes, and a straight scan is simpler.",
    .changes = "The lanes of the 8 x 4 warp tile are numbered row by row or column by column.",
    .pays = "One of the two operands is read in twice as many wavefronts as in a zigzag.",
    .full_only = 1,
    .sweep_name = "scan",
    .sweep_text = "order of the lanes of a warp: 1 row by row (across), 2 column by column (down)",
    .sweep_values = {SCAN_ACROSS, SCAN_DOWN},
    .claims =
        {
            {"A scan across has what the source calls mysterious bank conflicts, which the zigzag "
             "avoids (here: at least 10 % more wavefronts for the reads).",
             "GEMM double buffering notes", "Bank conflicts, maxas", NULL,
             "shared_wavefronts_load > 1.1 * prev_shared_wavefronts_load", SCAN_ACROSS},
            {"A scan down has what the source calls mysterious bank conflicts, which the zigzag "
             "avoids (here: at least 10 % more wavefronts for the reads).",
             "GEMM double buffering notes", "Bank conflicts, maxas", NULL,
             "shared_wavefronts_load > 1.1 * prev_shared_wavefronts_load", SCAN_DOWN},
            {"Without regard to these conflicts, tiling by warps is enough and the lanes need no "
             "zigzag: no two different words of a read are in one bank (across).",
             "GEMM double buffering notes", "Bank conflicts, maxas", NULL,
             "closed_form_excess_reads_a = 0 AND closed_form_excess_reads_b = 0 AND "
             "abs(load_excess_wavefronts) < 0.001 * shared_wavefronts_load",
             SCAN_ACROSS},
            {"Without regard to these conflicts, tiling by warps is enough and the lanes need no "
             "zigzag: no two different words of a read are in one bank (down).",
             "GEMM double buffering notes", "Bank conflicts, maxas", NULL,
             "closed_form_excess_reads_a = 0 AND closed_form_excess_reads_b = 0 AND "
             "abs(load_excess_wavefronts) < 0.001 * shared_wavefronts_load",
             SCAN_DOWN},
        },
    .refuses = refuse_untiled,
    .plan = plan,
    .shared_accesses = accesses,
};
