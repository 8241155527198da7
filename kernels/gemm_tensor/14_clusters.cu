/*
 * Rung 14: two blocks share a tile of B.
 *
 * The blocks of a cluster run on neighbouring SMs at the same time. Two blocks, one below the
 * other, need the same columns of B: each requests half of a slice, and the copy engine writes it
 * into the shared memory of both. A block then reads 32 KiB per slice from the L2 cache instead of
 * 48. A stage may be filled again only when the consumers of both blocks have left it, so each
 * consumer also arrives at the other block's barrier.
 *
 * The counters show less of this at 4096 on an H200: the slices of the rung before are 50.3 million
 * sectors, but 36.6 million were counted, so requests of neighbouring SMs for the same line had
 * been merged on their way.
 *
 * Remaining cost: while a block stores its tile, its tensor cores are idle.
 */
#include "wgmma_ring.h"

using ring = ring_shape<2, 1, 256, 4, 2, 1, STORE_PAIRS>;

static __global__ void __launch_bounds__(ring::threads, 1)
    gemm_tensor_clusters(const __grid_constant__ CUtensorMap map_a,
                         const __grid_constant__ CUtensorMap map_b, float *c, int m, int n, int k)
{
    const struct problem p = {c, NULL, m, n, k, 0, 0, GROUP};
    multiply_tiles<ring>(p, &map_a, &map_b, NULL);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Clusters of two",
    .after = "13_persistent",
    .suffers = "Neighbouring blocks read the same slices from the L2 cache.",
    .changes =
        "Two blocks fetch half of a tile of B each; the copy engine writes each half to both.",
    .pays = "While a block stores its tile, its tensor cores are idle.",
    .claims =
        {
            {"Fewer sectors are asked of the L2 cache (by the sizes of the tiles a third fewer; "
             "here: at least a quarter; requests of neighbouring SMs for the same line may be "
             "merged on their way, and then count once without a cluster, too).",
             "whyfast", "Aim of this rung", "4096x4096x4096",
             "l2_sm_sectors <= 0.75 * prev_l2_sm_sectors"},
            {"Clusters with multicast make the kernel faster (in the source: 734 instead of 704 "
             "TFLOP/s on an H100).",
             "pranjalssh, fast.cu", "Kernel 8", "4096x4096x4096", "faster"},
        },
    .published =
        {
            {"pranjalssh, fast.cu", "H100 SXM", 3350, "4096x4096x4096", 0, 0, 187247, 716.8, NULL,
             "NVIDIA, H100 data sheet"},
        },
    .refuses = refuse_wgmma,
    .plan = plan_tiles<ring, gemm_tensor_clusters, true>,
    .excess_wavefronts = no_excess_wavefronts,
};
