/*
 * Rung 16: equal shares of the last round.
 *
 * The number of tiles is rarely a multiple of the number of SMs: at 8192 the 1024 pairs of tiles of
 * rung 14 take 16 rounds on 66 clusters, and the last one is half empty. Here each cluster takes
 * the same number of whole tiles, and the slices of the remaining ones are divided into equal
 * shares (stream-K: M. Osama, D. Merrill, C. Cecka, M. Garland, J. Owens, Stream-K: Work-centric
 * Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU, 2023). Few tiles are
 * divided in the same way. A block that has the beginning of a tile finishes it: it adds what the
 * following blocks have left in memory, in their order, so that the sum is the same in every run.
 *
 * Partial tiles of 128 KiB pass through the L2 cache, which takes time. A tile is divided only if,
 * by the host's estimate, that is less than what it saves: at 4096, where the last round is 88 %
 * full, all tiles stay whole.
 *
 * Remaining cost: partial tiles, and the time of stores, as in rung 14.
 */
#include "wgmma_ring.h"

using ring = ring_shape<2, 1, 256, 4, 2, 1, STORE_PAIRS, 0, 1>;

enum { SLICE_CYCLES = ring::block_m * ring::block_n / 32 /* of the tensor cores, per slice */ };

static __global__ void __launch_bounds__(ring::threads, 1)
    gemm_tensor_equal_shares(const __grid_constant__ CUtensorMap map_a,
                             const __grid_constant__ CUtensorMap map_b, float *c, float *partial,
                             int m, int n, int k, int waves, int sharers)
{
    const struct problem p = {c, partial, m, n, k, waves, sharers, GROUP};
    multiply_tiles<ring>(p, &map_a, &map_b, NULL);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const struct point *point = &work->point;
    const struct share_plan shares = plan_shares<ring>(work, SLICE_CYCLES);
    plan_ring<ring>(work, launch);
    plan_grid(&shares, launch);
    launch_kernel(launch, gemm_tensor_equal_shares, work->output, work->scratch, gemm_m(point),
                  gemm_n(point), gemm_k(point), shares.waves, shares.sharers);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Equal shares (stream-K)",
    .after = "14_clusters",
    .suffers = "In the last round of tiles some SMs have nothing to do.",
    .changes = "The slices of the last tiles are divided among all clusters where that saves more "
               "than it costs.",
    .pays = "Partial tiles pass through memory.",
    .claims =
        {
            {"Equal shares make the kernel faster where the last round is half empty (here: at "
             "8192 with 132 SMs).",
             "whyfast", "Aim of this rung", "8192x8192x8192",
             "CASE WHEN sm_count = 132 THEN faster END"},
            {"Where the last round is nearly full, the kernel is no slower (here: at 4096 with 132 "
             "SMs).",
             "whyfast", "Aim of this rung", "4096x4096x4096",
             "CASE WHEN sm_count = 132 THEN NOT slower END"},
        },
    .refuses = refuse_wgmma,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
