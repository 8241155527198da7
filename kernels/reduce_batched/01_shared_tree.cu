/*
 * Rung 1: one thread-block group per batch, a tree in shared memory.
 *
 * The 256 threads of a block stride over their batch, and the block's group halves the sums in
 * shared memory, with a barrier of the group after each round. The kernel keeps up to eight loads
 * in flight; rung 6 has the loop of the source.
 *
 * Remaining cost: eight rounds with a barrier each, and loads of 4 bytes.
 */
#include "batched.h"

static __global__ void batched_shared_tree(const float *in, float *out, uint64_t length)
{
    const float sum = group_sum_shared(group_sum_of_thread(in + blockIdx.x * length, length));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Shared-memory tree",
    .suffers = "2048 independent batches must be added up.",
    .changes = "One block takes each batch: a register per thread, then a tree in shared memory "
               "over the thread-block group.",
    .pays = "Each round of the tree has a barrier, and loads move four bytes.",
    .refuses = batched_refuses,
    .plan = plan_by<batched_plan, batched_shared_tree>,
    .excess_wavefronts = no_excess_wavefronts,
};
