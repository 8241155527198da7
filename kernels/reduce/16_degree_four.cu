/*
 * Rung 16: a tree of degree four.
 *
 * Rung 3 combines two elements in each round. Here, in each round, the first quarter of the
 * remaining elements takes in the other three quarters: about half as many rounds and barriers for
 * the same n - 1 additions.
 *
 * Remaining cost: three quarters of the threads are idle from the first round on, and each of the
 * others makes three additions that depend on one another.
 */
#include "reduce.h"

static __global__ void reduce_degree_four(const unsigned *in, unsigned *out, uint64_t n)
{
    extern __shared__ unsigned sum[];
    const unsigned t = threadIdx.x;
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + t;
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned left = blockDim.x; left > 1;) {
        const unsigned quarter = (left + 3) / 4;
        if (t < quarter) {
#pragma unroll
            for (unsigned j = 1; j < 4; j++)
                if (t + j * quarter < left) sum[t] += sum[t + j * quarter];
        }
        left = quarter;
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Tree of degree four",
    .after = "03_sequential",
    .suffers = "The tree has log2 of the block's size rounds, each with a barrier.",
    .changes = "A thread adds three elements to its own in each round: there are about half as "
               "many rounds.",
    .pays = "Three quarters of the threads are idle from the first round on.",
    .full_only = 1,
    .launch_count = reduce_count_1,
    .plan = reduce_relaunch<reduce_degree_four, 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
