/*
 * Rung 12: the sum of a warp in one instruction.
 *
 * Since compute capability 8.0 a warp can add up 32 integers with one instruction, REDUX: it
 * replaces the ten instructions of rung 11, and the rest moves the result out of a uniform
 * register.
 *
 * Remaining cost: the instruction exists only for integers, so a float sum keeps its shuffles.
 */
#include "sum.h"

#include "reduce.h"

template <unsigned BLOCK, unsigned LOADS>
static __global__ void reduce_warp_reduction(const unsigned *in, unsigned *out, uint64_t n,
                                             unsigned * /* partial */)
{
    const unsigned sum = sum_block<SUM_REDUX, BLOCK>(reduce_sum_of_thread<BLOCK, LOADS>(in, n));
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

static const char *refuses(const struct point *, int compute_capability)
{
    return compute_capability < 80
               ? "the reduction over a warp in one instruction needs compute capability 8.0"
               : NULL;
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    reduce_plan_loads(work, launch, REDUCE_KERNEL(reduce_warp_reduction, &work->point));
    launch->clear_output = 1;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Warp sums in one instruction",
    .after = "11_shuffle_down",
    .suffers = "Each warp sum takes ten instructions, shuffles and additions.",
    .changes = "One instruction sums 32 integers (__reduce_add_sync).",
    .pays = "The instruction exists only for integers.",
    .sweep_name = "loads per thread",
    .sweep_text = "loading steps per thread, two elements each",
    .sweep_values = REDUCE_LOADS,
    .claims =
        {
            {"The hardware sums the integers of a warp: no shuffles are left in the code.",
             "CUDA C++ Programming Guide", "Warp Reduce Functions", NULL,
             "sass_warp_reductions > 0 AND sass_shuffles = 0 AND prev_sass_shuffles > 0"},
            {"The reduction instruction makes a small sum, which memory does not limit, faster "
             "than shuffles.",
             "whyfast", "Comparison with rung 11", "65536", "faster = 1"},
        },
    .refuses = refuses,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
