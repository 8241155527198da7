/*
 * Rung 15: tiles are stored while others are multiplied.
 *
 * In rung 14 both consumers finish a tile at the same time, and the tensor cores are idle until its
 * 128 KiB have been stored. Here the consumers take turns: each computes tiles of 128 x 128 alone,
 * which takes as many registers and keeps the tensor cores as busy, and while it stores a tile, the
 * other one multiplies the next. A named barrier passes the turn on. It is needed, because the
 * parity of a stage's barrier does not tell this tile's slices from those of the tile before.
 *
 * A warp stages 16 x 32 sums in shared memory, swizzled against bank conflicts, and the copy engine
 * writes them as whole lines, in the background. stmatrix does not fit here: it moves matrices of
 * 16-bit elements, a register of each lane holding two neighbouring ones. Of floats it would put
 * even columns into one row of 16 bytes and odd columns into another.
 *
 * Remaining cost: tiles of 128 x 128 need more slices from the L2 cache. The last round of tiles
 * may be incomplete.
 */
#include "wgmma_ring.h"

using ring = ring_shape<2, 2, 128, 6, 2, 1, STORE_TENSOR, 2, 0, BY_TURNS>;

static __global__ void __launch_bounds__(ring::threads, 1)
    gemm_tensor_epilogue(const __grid_constant__ CUtensorMap map_a,
                         const __grid_constant__ CUtensorMap map_b,
                         const __grid_constant__ CUtensorMap map_c, float *c, int m, int n, int k)
{
    const struct problem p = {c, NULL, m, n, k, 0, 0, GROUP};
    multiply_tiles<ring>(p, &map_a, &map_b, &map_c);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const struct point *point = &work->point;
    plan_ring<ring>(work, launch);
    map_result(launch, work);
    launch->grid[0] = ring_blocks<ring>(work);
    launch_kernel(launch, gemm_tensor_epilogue, work->output, gemm_m(point), gemm_n(point),
                  gemm_k(point));
}

static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    return describe_staged<ring>(list, ring_tiles<ring>(&work->point));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Stores behind products",
    .after = "14_clusters",
    .suffers = "While a block stores its tile, its tensor cores are idle.",
    .changes = "The two consumers take turns with tiles of their own: one multiplies while the "
               "other stores, through shared memory, by the copy engine.",
    .pays = "Smaller tiles read more from the L2 cache; the last round of tiles may be incomplete.",
    .claims =
        {
            {"Asynchronous stores through shared memory make the kernel faster (here with smaller "
             "tiles in turn; in the source: 758 instead of 747 TFLOP/s on an H100).",
             "pranjalssh, fast.cu", "Kernel 10", "4096x4096x4096", "faster"},
            {"Staging has no bank conflicts.", "whyfast", "Aim of this rung", NULL,
             "store_excess_wavefronts = 0"},
            {"The tensor pipe is busier.", "whyfast", "Aim of this rung", "4096x4096x4096",
             "tensor_pipe_pct > prev_tensor_pipe_pct"},
        },
    .published =
        {
            {"pranjalssh, fast.cu", "H100 SXM", 3350, "4096x4096x4096", 0, 0, 181318, 740.2, NULL,
             "NVIDIA, H100 data sheet"},
        },
    .refuses = refuse_wgmma,
    .plan = plan,
    .shared_accesses = accesses,
};
