/*
 * Rung 18: the last warp without barriers, but volatile, as in the notes.
 *
 * `volatile` makes the compiler load and store each word in the order of the code and keep none in
 * a register. A lane then finds in shared memory what the other lanes have written so far. Since
 * Volta the lanes of a warp may execute apart, and nothing in the code keeps them together. If all
 * launches of a run are right, the run has the time of this kernel, which shows what the warp-wide
 * barriers of rung 5 cost.
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
    .after = "05_last_warp_unrolled",
    .suffers = "Each step of the last warp has two warp-wide barriers.",
    .changes =
        "volatile, as in the notes, stands in for the barriers: it keeps the words in shared "
        "memory, where other lanes see them.",
    .pays = "The result is right only as long as the lanes of a warp happen to stay together.",
    .fails = "volatile orders the accesses of each lane, not those of different lanes, which need "
             "not execute together since Volta.",
    .full_only = 1,
    .claims =
        {
            {"volatile keeps the data out of registers: each sum is written back to shared memory "
             "(here: the code has at least eight stores, for the load, the loop and each of the "
             "six steps; that of rung 17 has three).",
             "Yikai, Reduction notes", "Version 5 & 6: Unroll", NULL, "sass_shared_stores >= 8"},
            {"The 32 threads of a warp of an A100 need no synchronisation.",
             "Yikai, Reduction notes", "Version 5 & 6: Unroll", NULL, "wrong_pct = 0", 0, 0,
             "A100"},
            {"The warp-wide barriers of rung 5 cost almost nothing: without them the sum is at "
             "most 2 % faster.",
             "whyfast", "Aim of rung 5", NULL,
             "CASE WHEN prev_floor_pct <= 2 THEN unguaranteed_time_ns >= 0.98 * prev_time_ns END"},
        },
    .launch_count = reduce_count_2,
    .plan = reduce_relaunch<reduce_volatile, 2>,
    .excess_wavefronts = no_excess_wavefronts,
};
