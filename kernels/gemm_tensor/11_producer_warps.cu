/*
 * Rung 11: warps that only copy, and warps that only multiply.
 *
 * One warpgroup is added, of which a single thread requests slices: it waits for free stages, and
 * the two multiplying warpgroups never do. Registers are allotted when a block starts, the same
 * number to each thread; setmaxnreg then moves them from the producer, which needs few, to the
 * consumers. Here the consumers have enough anyway; rung 12 needs it.
 *
 * Remaining cost: tiles of 128 x 128. Each product of 64 x 128 x 16 reads 6 KiB of shared memory in
 * 64 cycles, and slices of both matrices are read from the L2 cache 32 times at 4096.
 */
#include "wgmma_ring.h"

using ring = ring_shape<2, 1, 128, 6, 1, 1, STORE_PAIRS>;

static __global__ void __launch_bounds__(ring::threads, 1)
    gemm_tensor_producer_warps(const __grid_constant__ CUtensorMap map_a,
                               const __grid_constant__ CUtensorMap map_b, float *c, int m, int n,
                               int k)
{
    const struct problem p = {c, NULL, m, n, k, 0, 0, 1};
    multiply_tiles<ring>(p, &map_a, &map_b, NULL);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Producer warps",
    .after = "10_tma",
    .suffers = "One of the multiplying warps waits for the other warpgroup before it can request "
               "the next slice.",
    .changes = "A warpgroup of its own requests slices; two others only multiply, with the "
               "registers that it gives up.",
    .pays = "Tiles of 128 x 128 read each slice from the L2 cache for few products.",
    .claims =
        {
            {"Producer warps make the kernel faster (in the source, together with a queue of "
             "slices: 498 instead of 423 TFLOP/s on an H100).",
             "pranjalssh, fast.cu", "Kernel 4", "4096x4096x4096", "faster"},
        },
    .published =
        {
            {"pranjalssh, fast.cu", "H100 SXM", 3350, "4096x4096x4096", 0, 0, 275982, 486.3, NULL,
             "NVIDIA, H100 data sheet"},
        },
    .refuses = refuse_wgmma,
    .plan = plan_tiles<ring, gemm_tensor_producer_warps, false>,
    .excess_wavefronts = no_excess_wavefronts,
};
