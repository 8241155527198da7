/*
 * Rung 5: each warp adds its own sum.
 *
 * At its end, rung 4 sums a block with shuffles, shared memory, a barrier, more shuffles and one
 * atomic. Here each warp works alone: five xor shuffles with an addition each, and one atomic. A
 * sum over 32 threads needs no shared memory and no barrier.
 *
 * Remaining cost: eight times as many atomics, all on one word.
 */
#include "dot.h"

static __global__ void __launch_bounds__(DOT_BLOCK, DOT_BLOCKS_PER_SM)
    dot_warp_sums(const float *a, const float *b, uint64_t n, float *out)
{
    const float sum = sum_warp<SUM_XOR>(dot_of_thread_wide(a, b, n));
    if (threadIdx.x % SUM_WARP == 0) atomicAdd(out, sum);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Each warp adds its own sum",
    .after = "04_coalesced_wide",
    .suffers = "The final sum of a block needs shared memory and a barrier.",
    .changes = "Each warp sums with five xor shuffles and adds its own sum to the result.",
    .pays = "There are eight times as many atomics, all on one word.",
    .claims =
        {
            {"Compiled, each of the five steps of a warp's sum is two instructions, a shuffle and "
             "an addition, and there is no barrier.",
             "Skarupke, CUDA performance surprises", "Sharing within a warp is nearly free", NULL,
             "sass_shuffles = 5 AND sass_float_adds = 5 AND sass_barriers = 0"},
            {"The sum of a warp is nearly free: its ten instructions are few of those that a warp "
             "executes (here: less than 1 %).",
             "Skarupke, CUDA performance surprises", "Sharing within a warp is nearly free",
             "268435456", "10 * threads / 32.0 < 0.01 * warp_instructions"},
        },
    .plan = plan_by<dot_plan, dot_warp_sums>,
    .excess_wavefronts = no_excess_wavefronts,
};
