/*
 * Rung 24: many elements per thread, with the loops as they are.
 *
 * Rung 6 unrolls the tree of a block that loads two elements per thread; rung 7 then adds the
 * elements. Here the algorithm comes first: each thread sums many elements in a loop, and the tree
 * is the loop of rung 3, with a barrier in every round. The compiler unrolls neither.
 *
 * Remaining cost: a thread has two loads in flight at a time; the loops count, compare and branch.
 */
#include "reduce.h"

static __global__ void reduce_cascading_first(const unsigned *in, unsigned *out, uint64_t n)
{
    extern __shared__ unsigned sum[];
    const unsigned t = threadIdx.x;
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x * 2;
    unsigned own = 0;
#pragma unroll 1
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x * 2 + t; i < n; i += step)
        own += in[i] + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
    sum[t] = own;
    __syncthreads();
#pragma unroll 1
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) sum[t] += sum[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

static unsigned launch_count(const struct point *point)
{
    return reduce_level_count(point->shape.dim[0], reduce_per_block(point));
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const struct point *point = &work->point;
    const struct reduce_level level = reduce_level(work, reduce_per_block(point), index);
    reduce_plan(launch, (const void *)reduce_cascading_first, &level, point->block,
                (size_t)point->block * sizeof(unsigned));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Cascading before unrolling",
    .after = "06_fully_unrolled",
    .suffers = "The tree is unrolled, but each thread loads only two elements.",
    .changes = "Each thread sums many elements before the tree starts, and both are loops: the "
               "algorithm is changed first, and nothing is unrolled.",
    .pays = "The loops count, compare and branch, and a thread has two loads in flight at a time.",
    .full_only = 1,
    .sweep_name = "loads per thread",
    .sweep_text = "loading steps per thread, two elements each",
    .sweep_values = REDUCE_LOADS,
    .claims =
        {
            {"The algorithm should be optimised first and loops unrolled afterwards (here: "
             "cascading without unrolling is faster than unrolling without cascading).",
             "Liu, Reduction slides (after Harris)", "Summary", NULL, "faster = 1"},
        },
    .launch_count = launch_count,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
