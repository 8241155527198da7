/*
 * Rung 5: each warp adds its own sum.
 *
 * The end of rung 4 sums a block: shuffles, shared memory, a barrier, shuffles again, one atomic.
 * Here each warp is on its own: five xor shuffles with an addition each, and one atomic. That is
 * all there is to a sum over 32 threads: no shared memory and no barrier.
 *
 * What it pays: eight times as many atomics, all to one word.
 */
#include "dot.h"

static __global__ void __launch_bounds__(DOT_BLOCK, DOT_BLOCKS_PER_SM)
    dot_warp_sums(const float *a, const float *b, uint64_t n, float *out)
{
    const float sum = sum_warp<SUM_XOR>(dot_of_thread_wide(a, b, n));
    if (threadIdx.x % SUM_WARP == 0) atomicAdd(out, sum);
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    dot_plan(work, launch, (const void *)dot_warp_sums);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Each warp by itself",
    .after = "04_coalesced_wide",
    .suffers = "The end of a block needs shared memory and a barrier.",
    .changes = "Each warp sums by five xor shuffles and adds its sum to the result by itself.",
    .pays = "Eight times as many atomics, all to one word.",
    .declares = "warp_instructions = 18 * n / 128 + 42 * warps; "
                "shared_instructions = 0; "
                "shared_wavefronts = 0; "
                "barriers = 0",
    .claims =
        {
            {"After compilation each of the five steps of a warp's sum is two instructions, a "
             "shuffle and an addition, and there is no barrier.",
             "Skarupke, CUDA performance surprises", "Sharing within a warp is nearly free", NULL,
             "sass_shuffles = 5 AND sass_float_adds = 5 AND sass_barriers = 0"},
            {"The sum of a warp is nearly free: no slower than without it by more than 1 %.",
             "Skarupke, CUDA performance surprises", "Sharing within a warp is nearly free",
             "268435456", "time_ns < 1.01 * prev_time_ns"},
        },
    .launch_count = launch_once,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
