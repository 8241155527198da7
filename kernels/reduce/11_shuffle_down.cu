/*
 * Rung 11: warp sums by shuffles down.
 *
 * This is the other common form of the exchange: each lane takes the register of the lane 16, then
 * 8, 4, 2 and 1 places above. Only lane 0 ends with the sum of the warp; lanes near the end compute
 * values that are never read.
 *
 * Remaining cost: the same five steps, and another exchange where all lanes need the sum.
 */
#include "sum.h"

#include "reduce.h"

template <unsigned BLOCK, unsigned LOADS>
static __global__ void reduce_shuffle_down(const unsigned *in, unsigned *out, uint64_t n,
                                           unsigned * /* partial */)
{
    const unsigned sum = sum_block<SUM_DOWN, BLOCK>(reduce_sum_of_thread<BLOCK, LOADS>(in, n));
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    reduce_plan_loads(work, launch, REDUCE_KERNEL(reduce_shuffle_down, &work->point));
    launch->clear_output = 1;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Warp sums by shuffles down",
    .after = "10_shuffle_xor",
    .suffers = "An xor shuffle gives every lane the sum, although one lane would suffice.",
    .changes = "Each lane takes the value of the lane 16, 8, 4, 2 and 1 places above; lane 0 ends "
               "with the sum.",
    .pays = "The number of steps is unchanged, and only one lane has the result.",
    .sweep_name = "loads per thread",
    .sweep_text = "loading steps per thread, two elements each",
    .sweep_values = REDUCE_LOADS,
    .claims =
        {
            {"The halving steps of a warp take as many shuffles as with xor.", "whyfast",
             "Comparison with rung 10", NULL, "sass_shuffles = prev_sass_shuffles"},
            {"Shuffles down take as long as xor shuffles (here: at most 1 % apart).", "whyfast",
             "Comparison with rung 10", "536870912", "abs(time_ns / prev_time_ns - 1) < 0.01"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
