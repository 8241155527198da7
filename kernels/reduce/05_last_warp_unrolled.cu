/*
 * Rung 5: the last warp is unrolled.
 *
 * In rung 4 all warps go through all rounds, although only one warp is active in the last six. Here
 * the loop stops at 64 elements and one warp finishes with six unrolled additions, without the
 * block's barrier.
 *
 * The sources leave out every barrier there, because a warp used to run in lock step. Since Volta
 * its lanes may drift apart: here a warp-wide barrier stands between each read and each write. Rung
 * 18 does without, so that its time shows what they cost.
 *
 * Remaining cost: the rounds above the last warp still run in a loop.
 */
#include "reduce.h"

static __global__ void reduce_last_warp_unrolled(const unsigned *in, unsigned *out, uint64_t n)
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
        reduce_fold(sum, t, 32);
        reduce_fold(sum, t, 16);
        reduce_fold(sum, t, 8);
        reduce_fold(sum, t, 4);
        reduce_fold(sum, t, 2);
        reduce_fold(sum, t, 1);
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Last warp unrolled",
    .after = "04_first_add_on_load",
    .suffers = "All warps go through all rounds, although only one is active in the last six.",
    .changes = "One warp finishes alone, with six unrolled additions and no block barrier.",
    .pays = "The rounds above the last warp still loop, compare and wait.",
    .sustained = 1,
    .claims =
        {
            {"Unrolling the last warp saves work in all warps, not only in the last one (here: "
             "more than all instructions of an average warp of each block).",
             "Liu, Reduction slides (after Harris)",
             "Reduction #5: Unrolling the last 6 iterations", NULL,
             "warp_instructions < prev_warp_instructions * (1 - 32.0 / block_threads)"},
            {"Unrolling the last warp makes the kernel faster (here: in blocks of 256 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction", NULL,
             "faster = 1", .block = 256},
            {"With fewer barriers warps wait less at them (here: for less than 80 % of the cycles "
             "of rung 4).",
             "Yikai, Reduction notes", "Version 5 & 6: Unroll", NULL,
             "stall_barrier * warp_instructions_hw < 0.8 * prev_stall_barrier * "
             "prev_warp_instructions_hw"},
            {"Unrolling the last warp makes the kernel faster at the size and in the blocks of the "
             "slides (2^22, 128 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction",
             "4194304", "faster = 1", .block = 128},
        },
    .published =
        {
            LIU_G80(0.536e6, 31.289),
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 2.918e6, 735.944},
        },
    .launch_count = reduce_count_2,
    .plan = reduce_relaunch<reduce_last_warp_unrolled, 2>,
    .excess_wavefronts = no_excess_wavefronts,
};
