/*
 * Rung 10: warp sums by xor shuffles.
 *
 * The tree of rung 8 works in shared memory: each round is two loads, an addition, a store and a
 * barrier. Lanes of one warp can exchange their registers directly: after five exchanges with the
 * lane whose index differs in one bit, every lane holds the sum of all 32. Shared memory and a
 * barrier are needed only for one number per warp.
 *
 * Remaining cost: nothing measurable where memory is the limit; the tree was already a small part
 * of a block's time.
 */
#include "sum.h"

#include "reduce.h"

template <unsigned BLOCK, unsigned LOADS>
static __global__ void reduce_shuffle_xor(const unsigned *in, unsigned *out, uint64_t n,
                                          unsigned * /* partial */)
{
    const unsigned sum = sum_block<SUM_XOR, BLOCK>(reduce_sum_of_thread<BLOCK, LOADS>(in, n));
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    reduce_plan_loads(work, launch, REDUCE_KERNEL(reduce_shuffle_xor, &work->point));
    launch->clear_output = 1;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Warp sums by xor shuffles",
    .after = "08_atomic_per_block",
    .suffers = "The tree goes through shared memory: every round has loads, a store and a barrier.",
    .changes = "Within a warp the lanes exchange registers with xor shuffles; shared memory "
               "carries one number per warp.",
    .pays = "Each warp needs five shuffles and five additions, twice.",
    .sweep_name = "loads per thread",
    .sweep_text = "loading steps per thread, two elements each",
    .sweep_values = REDUCE_LOADS,
    .claims =
        {
            {"A warp shares values without shared memory, which is needed only across warps (here: "
             "fewer than half as many wavefronts of shared memory in each block).",
             "Skarupke, CUDA performance surprises", "Sharing within a warp is nearly free", NULL,
             "shared_wavefronts / grid_blocks < 0.5 * prev_shared_wavefronts / prev_grid_blocks"},
            {"Within a warp no block barrier is needed: the code has fewer of them.",
             "Skarupke, CUDA performance surprises", "Sharing within a warp is nearly free", NULL,
             "sass_barriers < prev_sass_barriers"},
            {"Shuffles and shared memory take the same time where memory is the limit (a ratio of "
             "1.00 in the source, at 2^25; here, at 2^29: at most 1 % apart).",
             "Liu-xiandong, How to optimize in GPU, V100", "reduce/README.md", "536870912",
             "abs(time_ns / prev_time_ns - 1) < 0.01"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
