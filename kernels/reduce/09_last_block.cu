/*
 * Rung 9: the last block to arrive finishes the sum.
 *
 * Besides relaunching and one atomicAdd per block there is a third way: each block leaves its
 * partial sum in memory and takes a ticket; the block with the last ticket knows that all the
 * others are done and sums the partial sums. This takes one launch and no memset, and the order of
 * the additions does not depend on the order of arrival.
 *
 * Remaining cost: a fence and an atomic per block, and a last block that works alone.
 */
#include "sum.h"

#include "reduce.h"

template <unsigned BLOCK, unsigned LOADS>
static __global__ void reduce_last_block(const unsigned *in, unsigned *out, uint64_t n,
                                         unsigned *partial)
{
    __shared__ unsigned sum[BLOCK];
    const unsigned t = threadIdx.x;
    sum[t] = reduce_sum_of_thread<BLOCK, LOADS>(in, n);
    reduce_tree<BLOCK>(sum, t);
    if (!sum_is_last_block(t == 0 ? sum[0] : 0, partial)) return;
    unsigned rest = 0;
    for (unsigned i = t; i < gridDim.x; i += BLOCK) rest += __ldcg(&partial[i]);
    sum[t] = rest;
    reduce_tree<BLOCK>(sum, t);
    if (t == 0) *out = sum[0];
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    reduce_plan_loads(work, launch, REDUCE_KERNEL(reduce_last_block, &work->point));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Last block finishes",
    .after = "07_many_per_thread",
    .suffers = "Further launches read the partial sums, and each costs a few microseconds.",
    .changes = "Each block takes a ticket; the one with the last ticket sums the partial sums in "
               "the same launch.",
    .pays = "Each block needs a fence and an atomic, and the last block works alone.",
    .sweep_name = "loads per thread",
    .sweep_text = "loading steps per thread, two elements each",
    .sweep_values = REDUCE_LOADS,
    .claims =
        {
            {"A single launch saves a small sum the cost of the second.", "whyfast",
             "Comparison with rung 7", "65536", "faster = 1"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
