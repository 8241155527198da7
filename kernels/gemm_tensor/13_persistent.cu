/*
 * Rung 13: one block per SM walks through many tiles.
 *
 * The barriers are initialised once. When the consumers store a tile, the producer already fills
 * the ring with the slices of the next one. The blocks take tiles in an order that keeps the L2
 * cache warm: down groups of eight rows of tiles, so that the 132 tiles that are computed at the
 * same time lie within 8 rows and 17 columns of tiles, and most of their slices are shared.
 *
 * Remaining cost: every block reads all its slices from the L2 cache, the same ones as its
 * neighbours. The last round of tiles may be incomplete.
 */
#include "wgmma_ring.h"

using ring = ring_shape<2, 1, 256, 4, 1, 1, STORE_PAIRS>;

static __global__ void __launch_bounds__(ring::threads, 1)
    gemm_tensor_persistent(const __grid_constant__ CUtensorMap map_a,
                           const __grid_constant__ CUtensorMap map_b, float *c, int m, int n, int k)
{
    const struct problem p = {c, NULL, m, n, k, 0, 0, GROUP};
    multiply_tiles<ring>(p, &map_a, &map_b, NULL);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Persistent blocks",
    .after = "12_wide_tiles",
    .suffers = "Each tile is a new block, which starts and ends while the tensor cores are idle.",
    .changes = "One block per SM takes tile after tile and requests the slices of the next one "
               "while it stores; tiles are taken down groups of eight rows.",
    .pays = "Neighbouring blocks read the same slices from the L2 cache.",
    .claims =
        {
            {"Persistent blocks and an order of tiles that reuses the L2 cache make the kernel "
             "faster (in the source: 660 instead of 610 TFLOP/s on an H100).",
             "pranjalssh, fast.cu", "Kernel 6", "4096x4096x4096", "faster"},
            {"Less is read from device memory.", "whyfast", "Aim of this rung", "8192x8192x8192",
             "dram_read_bytes < prev_dram_read_bytes"},
        },
    .published =
        {
            {"pranjalssh, fast.cu", "H100 SXM", 3350, "4096x4096x4096", 0, 0, 208241, 644.5, NULL,
             "NVIDIA, H100 data sheet"},
        },
    .refuses = refuse_wgmma,
    .plan = plan_tiles<ring, gemm_tensor_persistent, true>,
    .excess_wavefronts = no_excess_wavefronts,
};
