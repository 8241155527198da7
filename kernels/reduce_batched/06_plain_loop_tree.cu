/*
 * Rung 6: rung 1 with the loop of the source.
 *
 * A thread adds one element in each turn of its loop, and the compiler decides how many loads are
 * in flight together; rung 1 asks for eight. This is version 1 of the source but for one more
 * barrier, before the sums are stored.
 *
 * Remaining cost: that of rung 1.
 */
#include "batched.h"

static __global__ void batched_plain_loop_tree(const float *__restrict__ in,
                                               float *__restrict__ out, uint64_t length)
{
    const float sum = group_sum_shared(group_sum_in_turn(in + blockIdx.x * length, length));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Tree, plain loop",
    .after = "01_shared_tree",
    .suffers = "Eight loads in flight are more than the source's loop asks for.",
    .changes = "A thread adds one element in each turn of the loop, as in the source.",
    .pays = "The compiler decides how many loads are in flight.",
    .full_only = 1,
    .sustained = 1,
    .claims =
        {
            {"The kernel reaches about 94 % of the memory's peak (882.6 of 936.1 GB/s in the "
             "source; within 4 points counts as the same).",
             "Mao, CUDA Cooperative Groups, RTX 3090", "Output of the program", "2048x262144",
             "abs(effective_pct_peak - 94.3) < 4"},
        },
    .published =
        {
            {"Mao, CUDA Cooperative Groups", "RTX 3090", 936.096, "2048x262144", 256, 0, 2.43301e6,
             882.649},
        },
    .refuses = batched_refuses,
    .plan = plan_by<batched_plan, batched_plain_loop_tree>,
    .excess_wavefronts = no_excess_wavefronts,
};
