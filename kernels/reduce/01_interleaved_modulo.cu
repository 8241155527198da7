/*
 * Rung 1: interleaved addressing, chosen by a modulo.
 *
 * Each block copies one element per thread into shared memory and adds them up in a tree: in round
 * s, every thread whose index is a multiple of 2s adds the element s places further on. It is the
 * textbook drawing of the tree, taken literally.
 *
 * Remaining cost, three parts: the active threads are spread over all warps, so every warp goes
 * through every round with fewer and fewer active lanes; the modulo, by a number unknown to the
 * compiler, is a division; each round ends in a barrier for the whole block.
 */
#include "reduce.h"

static __global__ void reduce_interleaved_modulo(const unsigned *in, unsigned *out, uint64_t n)
{
    extern __shared__ unsigned sum[];
    const unsigned t = threadIdx.x;
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + t;
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) sum[t] += sum[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Interleaved, modulo",
    .suffers = "The sum needs a barrier over the whole grid, and an ordinary launch has none: each "
               "block sums its own part, and the kernel is launched again on the partial sums.",
    .changes = "This is the starting point: a tree in shared memory, in which the threads "
               "divisible by 2s work in round s.",
    .pays = "The active threads are spread over all warps, the modulo is a division, and every "
            "round ends in a barrier.",
    .claims =
        {
            {"The code is highly divergent: in each round only some lanes of a warp work (here: "
             "the average load from shared memory is of fewer than half of a warp's 32 lanes).",
             "Liu, Reduction slides (after Harris)", "Reduction #1 code: Interleaved Accesses",
             NULL, "shared_load_bytes < 0.5 * 32 * 4 * shared_load_instructions"},
            {"The performance of the highly divergent code is very poor (here: less than a tenth "
             "of the memory's peak).",
             "Liu, Reduction slides (after Harris)", "Reduction #1 code: Interleaved Accesses",
             "536870912", "effective_gbs < 0.1 * dram_peak_gbs"},
        },
    .published =
        {
            LIU_G80(8.054e6, 2.083),
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 15.917e6, 134.918},
        },
    .launch_count = reduce_count_1,
    .plan = reduce_relaunch<reduce_interleaved_modulo, 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
