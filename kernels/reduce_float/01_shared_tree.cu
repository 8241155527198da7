/*
 * Rung 1: a tree in shared memory over a thread-block group, and relaunching.
 *
 * This is the batched sum of the source, applied to one long array: at n = 2^29, 2048 blocks sum
 * 262144 elements each as if they were batches, and a second launch sums the 2048 results.
 *
 * Remaining cost: eight rounds with a barrier each, loads of 4 bytes, and the second launch.
 */
#include "reduce_float.h"

static __global__ void reduce_float_shared_tree(const float *in, float *out, uint64_t n)
{
    const uint64_t start = (uint64_t)blockIdx.x * GROUP_ELEMENTS, left = n - start;
    const float sum = group_sum_shared(
        group_sum_of_thread(in + start, left < GROUP_ELEMENTS ? left : GROUP_ELEMENTS));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    reduce_float_relaunch(work, index, launch, (const void *)reduce_float_shared_tree);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Shared-memory tree, relaunched",
    .suffers =
        "n floats must be added up, and only threads of the same block can wait for each other.",
    .changes = "Each block sums 262144 elements: a register per thread, then a tree in shared "
               "memory. The kernel is launched again on the results.",
    .pays = "Each round of the tree has a barrier, loads move four bytes, and there is a second "
            "launch.",
    .claims =
        {
            {"Launching the kernel again costs time: from the end of the first kernel to the end "
             "of the last one it takes longer than the noise floor.",
             "Mao, CUDA Cooperative Groups", "Reduction of a large array", NULL,
             "later_kernels_ns > floor_pct / 100 * time_ns"},
        },
    .launch_count = reduce_float_count,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
