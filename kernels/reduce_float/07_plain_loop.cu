/*
 * Rung 7: rung 1 with the loop of the source.
 *
 * A thread adds one element in each turn of its loop, and the compiler decides how many loads are
 * in flight together; rung 1 asks for eight.
 *
 * Remaining cost: that of rung 1.
 */
#include "reduce_float.h"

static __global__ void reduce_float_plain_loop(const float *__restrict__ in,
                                               float *__restrict__ out, uint64_t n)
{
    const uint64_t start = (uint64_t)blockIdx.x * GROUP_ELEMENTS, left = n - start;
    const float sum = group_sum_shared(
        group_sum_in_turn(in + start, left < GROUP_ELEMENTS ? left : GROUP_ELEMENTS));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    reduce_float_relaunch(work, index, launch, (const void *)reduce_float_plain_loop);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Plain loop, relaunched",
    .after = "01_shared_tree",
    .suffers = "Eight loads in flight are more than the source's loop asks for.",
    .changes = "A thread adds one element in each turn of the loop, as in the source.",
    .pays = "The compiler decides how many loads are in flight, and there is a second launch.",
    .full_only = 1,
    .launch_count = reduce_float_count,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
