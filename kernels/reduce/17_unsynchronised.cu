/*
 * Rung 17: the last warp without barriers, as the slides print it.
 *
 * Rung 5 has a warp-wide barrier between the reads and the writes of each step of the last warp.
 * The slides have none: a warp of their time executed in lock step. Nothing then orders the
 * accesses of different lanes. The compiler sees a single thread, whose words sum[t + 32],
 * sum[t + 16], ... are all different from sum[t]: it may keep sum[t] in a register until the last
 * addition.
 *
 * Remaining cost: the result cannot be relied upon.
 */
#include "reduce.h"

static __global__ void reduce_unsynchronised(const unsigned *in, unsigned *out, uint64_t n)
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
        sum[t] += sum[t + 32];
        sum[t] += sum[t + 16];
        sum[t] += sum[t + 8];
        sum[t] += sum[t + 4];
        sum[t] += sum[t + 2];
        sum[t] += sum[t + 1];
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Last warp without barriers",
    .after = "05_last_warp_unrolled",
    .suffers = "Each step of the last warp has two warp-wide barriers.",
    .changes = "The barriers are left out, as in the slides.",
    .pays = "The result cannot be relied upon.",
    .fails =
        "No barrier orders the accesses of different lanes, so the compiler may keep the sum in "
        "a register and store it only after the last step.",
    .full_only = 1,
    .claims =
        {
            {"The last warp needs no barrier: without one there is no correctness issue (of the "
             "G80 in the slides; tested here on this GPU).",
             "Liu, Reduction slides (after Harris)",
             "Reduction #5: Unrolling the last 6 iterations", NULL, "wrong_pct = 0"},
        },
    .launch_count = reduce_count_2,
    .plan = reduce_relaunch<reduce_unsynchronised, 2>,
    .excess_wavefronts = no_excess_wavefronts,
};
