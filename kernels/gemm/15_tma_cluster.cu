/*
 * Rung 15: two blocks share a tile of B.
 *
 * Two blocks of a cluster, one below the other, need the same columns of B. Each fetches half of
 * them, and the copy engine writes that half into both blocks: a third less is read from the L2
 * cache. A stage may be filled again only when the warps of both blocks have left it.
 *
 * Remaining cost: the two blocks proceed in step. If rung 14 does not wait for the L2 cache,
 * nothing is gained.
 */
#include "tma.h"

enum { CLUSTER = 2 };

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tma_cluster(const __grid_constant__ CUtensorMap map_a,
                     const __grid_constant__ CUtensorMap map_b, float *c, int m, int n, int k,
                     uint32_t alpha_bits)
{
    struct part part = {&map_a, &map_b, 0, 0, 0, 0, 0, (k + TILE_K - 1) / TILE_K};
    multiply_part<CLUSTER>(&part, c, m, n, __uint_as_float(alpha_bits));
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    plan_tma(work, launch, (const void *)gemm_tma_cluster, TILE_N / CLUSTER);
    launch->grid[0] = tma_blocks(&work->point, CLUSTER);
    launch->cluster = CLUSTER;
}

static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    return describe_tma(list, &work->point, tma_blocks(&work->point, CLUSTER));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "TMA, cluster of two",
    .after = "14_tma_stages",
    .suffers = "Each block reads all of its tiles from the L2 cache.",
    .changes =
        "Two blocks fetch half of a tile of B each; the copy engine writes each half to both.",
    .pays =
        "The two blocks proceed in step; less traffic helps only where the L2 cache is the limit.",
    .claims =
        {
            {"Fewer sectors are asked of the L2 cache (by the sizes of the tiles a third fewer; "
             "here: at least a quarter; requests of neighbouring SMs for the same line may be "
             "merged on their way, and then count once without a cluster, too).",
             "whyfast", "Aim of this rung", NULL, "l2_sm_sectors <= 0.75 * prev_l2_sm_sectors"},
            {"The cluster makes the kernel faster.", "whyfast", "Aim of this rung", NULL, "faster"},
        },
    .refuses = refuse_tma,
    .plan = plan,
    .shared_accesses = accesses,
};
