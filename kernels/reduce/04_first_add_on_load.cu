/*
 * Rung 4: the first addition happens while loading.
 *
 * Half of the threads of rung 3 do nothing after their load. Here each thread loads two elements, a
 * block apart, and adds them right away: half as many blocks, no idle thread in the first round,
 * two loads in flight per thread.
 *
 * Remaining cost: every round, down to the last, has a loop, a comparison and a barrier.
 */
#include "reduce.h"

static __global__ void reduce_first_add_on_load(const unsigned *in, unsigned *out, uint64_t n)
{
    extern __shared__ unsigned sum[];
    const unsigned t = threadIdx.x;
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x * 2 + t;
    const uint64_t j = i + blockDim.x;
    sum[t] = (i < n ? in[i] : 0) + (j < n ? in[j] : 0);
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) sum[t] += sum[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "First add on load",
    .after = "03_sequential",
    .suffers =
        "Half of the threads are idle from the first round on: they load one element and are done.",
    .changes =
        "Each thread loads two elements and adds them right away; there are half as many blocks.",
    .pays = "Every round, down to the last, costs a loop, a comparison and a barrier.",
    .claims =
        {
            {"Reading two elements and adding them at once makes the kernel faster (here: in "
             "blocks of 256 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction", NULL,
             "faster = 1", .block = 256},
            {"Memory bandwidth is still underutilised (here: less than half of its peak is used).",
             "Liu, Reduction slides (after Harris)", "Reduction #4: Still way off", "536870912",
             "effective_gbs < 0.5 * dram_peak_gbs"},
            {"Reading two elements and adding them at once makes the kernel faster at the size and "
             "in the blocks of the slides (2^22, 128 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction",
             "4194304", "faster = 1", .block = 128},
        },
    .published =
        {
            LIU_G80(0.965e6, 17.377),
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 3.993e6, 537.812},
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 3.992e6, 537.947,
             "reduce4"},
        },
    .launch_count = reduce_count_2,
    .plan = reduce_relaunch<reduce_first_add_on_load, 2>,
    .excess_wavefronts = no_excess_wavefronts,
};
