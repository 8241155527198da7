/*
 * Rung 7: rung 2 with the loop of the source.
 *
 * This is version 2 of the source but for one more barrier, before the sums of the tiles are
 * stored. The compiler decides how many loads are in flight together, as in rung 6.
 *
 * Remaining cost: that of rung 2.
 */
#include "batched.h"

static __global__ void batched_plain_loop_tiles(const float *__restrict__ in,
                                                float *__restrict__ out, uint64_t length)
{
    const float sum = group_sum_tiles(group_sum_in_turn(in + blockIdx.x * length, length));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Shuffles, plain loop",
    .after = "06_plain_loop_tree",
    .suffers = "The tree of a block has eight rounds with a barrier each.",
    .changes = "Tiles of 32 threads exchange registers; shared memory carries one number per tile.",
    .pays = "The compiler decides how many loads are in flight.",
    .full_only = 1,
    .sustained = 1,
    .claims =
        {
            {"Versions 1 and 2 take the same time (882.6 and 882.1 GB/s in the source; here: at "
             "most 1 % apart).",
             "Mao, CUDA Cooperative Groups, RTX 3090", "Output of the program", "2048x262144",
             "abs(time_ns / prev_time_ns - 1) < 0.01"},
        },
    .published =
        {
            {"Mao, CUDA Cooperative Groups", "RTX 3090", 936.096, "2048x262144", 256, 0, 2.43445e6,
             882.126},
        },
    .refuses = batched_refuses,
    .plan = plan_by<batched_plan, batched_plain_loop_tiles>,
    .excess_wavefronts = no_excess_wavefronts,
};
