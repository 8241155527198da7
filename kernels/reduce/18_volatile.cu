/*
 * Rung 18: the last warp without barriers, but volatile, as in the notes.
 *
 * `volatile` makes the compiler load and store each word in the order of the code and keep none in
 * a register. A lane then finds in shared memory what the other lanes have written so far. Since
 * Volta the lanes of a warp may execute apart, and nothing in the code keeps them together.
 *
 * Remaining cost: the result is right only as long as the warp happens to stay together.
 */
#include "reduce.h"

static __global__ void reduce_volatile(const unsigned *in, unsigned *out, uint64_t n)
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
        volatile unsigned *const shared = sum;
        shared[t] = shared[t] + shared[t + 32];
        shared[t] = shared[t] + shared[t + 16];
        shared[t] = shared[t] + shared[t + 8];
        shared[t] = shared[t] + shared[t + 4];
        shared[t] = shared[t] + shared[t + 2];
        shared[t] = shared[t] + shared[t + 1];
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Last warp, volatile",
    .after = "17_unsynchronised",
    .suffers = "The compiler keeps the sum of a lane in a register, where the other lanes cannot "
               "see it.",
    .changes = "volatile keeps the words in shared memory, as in the notes.",
    .pays = "The result is right only as long as the lanes of a warp happen to stay together.",
    .fails = "volatile orders the accesses of each lane, not those of different lanes, which need "
             "not execute together since Volta.",
    .full_only = 1,
    .claims =
        {
            {"volatile keeps the data out of registers: each sum is written back to shared memory "
             "(here: at least five more stores in the code than in rung 17).",
             "Yikai, Reduction notes", "Version 5 & 6: Unroll", NULL,
             "sass_shared_stores >= prev_sass_shared_stores + 5"},
            {"The 32 threads of a warp of an A100 behave alike and need no synchronisation.",
             "Yikai, Reduction notes", "Version 5 & 6: Unroll", NULL, "wrong_pct = 0", 0, 0,
             "A100"},
        },
    .launch_count = reduce_count_2,
    .plan = reduce_relaunch<reduce_volatile, 2>,
    .excess_wavefronts = no_excess_wavefronts,
};
