/*
 * Rung 2: tiles of 32 threads by shuffles, then across the tiles.
 *
 * The block is partitioned into warp tiles, which sum by shuffles; then every thread adds up the
 * eight results that the tiles left in shared memory. Rung 7 has the loop of the source.
 *
 * Remaining cost: loads of 4 bytes. The tree was a small part: a batch has 1024 elements per
 * thread.
 */
#include "batched.h"

static __global__ void batched_tiles(const float *in, float *out, uint64_t length)
{
    const float sum = group_sum_tiles(group_sum_of_thread(in + blockIdx.x * length, length));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Tiles of 32 by shuffles",
    .after = "01_shared_tree",
    .suffers = "The tree of a block has eight rounds with a barrier each.",
    .changes = "Tiles of 32 threads exchange registers; shared memory carries one number per tile.",
    .pays = "Loads move only four bytes.",
    .claims =
        {
            {"The version with shuffles has fewer barriers than the tree (one and nine in the "
             "source's code).",
             "Mao, CUDA Cooperative Groups", "Code of version 2", NULL,
             "sass_barriers < prev_sass_barriers"},
        },
    .refuses = batched_refuses,
    .plan = plan_by<batched_plan, batched_tiles>,
    .excess_wavefronts = no_excess_wavefronts,
};
