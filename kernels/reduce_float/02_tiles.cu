/*
 * Rung 2: tiles of 32 threads by shuffles, and relaunching.
 *
 * This is rung 1 with five shuffles in each tile of 32 threads in place of the tree. Then every
 * thread adds up the eight results of the tiles.
 *
 * Remaining cost: loads of 4 bytes, and the second launch.
 */
#include "reduce_float.h"

static __global__ void reduce_float_tiles(const float *in, float *out, uint64_t n)
{
    const uint64_t start = (uint64_t)blockIdx.x * GROUP_ELEMENTS, left = n - start;
    const float sum = group_sum_tiles(
        group_sum_of_thread(in + start, left < GROUP_ELEMENTS ? left : GROUP_ELEMENTS));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    reduce_float_relaunch(work, index, launch, (const void *)reduce_float_tiles);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Tiles of 32, relaunched",
    .after = "01_shared_tree",
    .suffers = "The tree of a block has eight rounds with a barrier each.",
    .changes = "The threads of a tile of 32 exchange values by shuffles; shared memory carries one "
               "number per tile.",
    .pays = "Loads move only four bytes, and there is a second launch.",
    .launch_count = reduce_float_count,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
