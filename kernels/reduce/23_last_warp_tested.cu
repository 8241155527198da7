/*
 * Rung 23: the last warp with a test in each step.
 *
 * In the unrolled steps of rung 5 every lane of the last warp reads and adds, although fewer and
 * fewer results are used. The slides leave out the test whether a lane is below the distance,
 * because the warp executes the instructions anyhow. Here the tests are back, and nothing else
 * differs.
 *
 * Remaining cost: the tests, and all that of rung 5.
 */
#include "reduce.h"

/* One step of rung 5, only in the lanes whose result is used. */
static __device__ inline void fold_below(unsigned *sum, unsigned t, unsigned distance)
{
    unsigned other = 0;
    if (t < distance) other = sum[t + distance];
    __syncwarp();
    if (t < distance) sum[t] += other;
    __syncwarp();
}

static __global__ void reduce_last_warp_tested(const unsigned *in, unsigned *out, uint64_t n)
{
    extern __shared__ unsigned sum[];
    const unsigned t = threadIdx.x;
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x * 2 + t;
    const uint64_t j = i + blockDim.x;
    sum[t] = (i < n ? in[i] : 0) + (j < n ? in[j] : 0);
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
        if (t < half) sum[t] += sum[t + half];
        __syncthreads();
    }
    if (t < 32) {
        fold_below(sum, t, 32);
        fold_below(sum, t, 16);
        fold_below(sum, t, 8);
        fold_below(sum, t, 4);
        fold_below(sum, t, 2);
        fold_below(sum, t, 1);
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Last warp, tested",
    .after = "05_last_warp_unrolled",
    .suffers = "In the last steps, lanes compute values that nobody reads.",
    .changes = "A test in each step of the last warp keeps these lanes from reading and adding.",
    .pays = "The warp executes the instructions for its other lanes all the same, and the tests.",
    .full_only = 1,
    .sustained = 1,
    .claims =
        {
            {"The last warp needs no test of the index, because a test would save no work (here: "
             "with the tests the kernel executes no fewer instructions).",
             "Liu, Reduction slides (after Harris)", "Unrolling the last warp", NULL,
             "warp_instructions >= prev_warp_instructions"},
            {"The last warp needs no test of the index, because a test would save no work (here: "
             "with the tests the kernel is not faster).",
             "Liu, Reduction slides (after Harris)", "Unrolling the last warp", NULL, "faster = 0"},
        },
    .launch_count = reduce_count_2,
    .plan = reduce_relaunch<reduce_last_warp_tested, 2>,
    .excess_wavefronts = no_excess_wavefronts,
};
