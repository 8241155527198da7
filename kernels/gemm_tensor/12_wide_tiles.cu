/*
 * Rung 12: tiles of 128 x 256, by two consumer warpgroups.
 *
 * A warpgroup computes 64 x 256, the widest instruction: 128 cycles for 10 KiB of shared memory,
 * instead of 64 cycles for 6 KiB, and three quarters of the reads from the L2 cache. The sums take
 * 128 registers of each thread. A block of three warpgroups starts with 168 registers per thread;
 * setmaxnreg gives 232 to each consumer and leaves 40 to the producer. The ring has four stages of
 * 48 KiB.
 *
 * Remaining cost: each tile is a new block. It initialises barriers, waits for its first slice and
 * stores its results while the tensor cores of the SM are idle. Blocks run row by row of tiles.
 */
#include "wgmma_ring.h"

using ring = ring_shape<2, 1, 256, 4, 1, 1, STORE_PAIRS>;

static __global__ void __launch_bounds__(ring::threads, 1)
    gemm_tensor_wide_tiles(const __grid_constant__ CUtensorMap map_a,
                           const __grid_constant__ CUtensorMap map_b, float *c, int m, int n, int k)
{
    const struct problem p = {c, NULL, m, n, k, 0, 0, 1};
    multiply_tiles<ring>(p, &map_a, &map_b, NULL);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "128 x 256 tiles",
    .after = "11_producer_warps",
    .suffers = "Tiles of 128 x 128 read each slice from the L2 cache for few products.",
    .changes = "Two warpgroups compute 64 x 256 each, with registers that the producer gives up.",
    .pays = "Each tile is a new block, which starts and ends while the tensor cores are idle.",
    .claims =
        {
            {"Larger tiles make the kernel faster (in the source, with two consumer warpgroups: "
             "610 instead of 498 TFLOP/s on an H100).",
             "pranjalssh, fast.cu", "Kernel 5", "4096x4096x4096", "faster"},
            {"The SMs request less from the L2 cache (here: at least 15 % less; by the sizes of "
             "the tiles it is a quarter).",
             "whyfast", "Aim of this rung", "4096x4096x4096",
             "l2_sm_sectors <= 0.85 * prev_l2_sm_sectors"},
        },
    .published =
        {
            {"pranjalssh, fast.cu", "H100 SXM", 3350, "4096x4096x4096", 0, 0, 225310, 595.7, NULL,
             "NVIDIA, H100 data sheet"},
        },
    .refuses = refuse_wgmma,
    .plan = plan_tiles<ring, gemm_tensor_wide_tiles, false>,
    .excess_wavefronts = no_excess_wavefronts,
};
