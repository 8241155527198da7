/*
 * Rung 3: sequential addressing.
 *
 * Rung 2 reads words 2s apart, and its lanes conflict in the banks. Here the tree is folded
 * instead: in each round the lower half of the threads adds the upper half, so the lanes of a warp
 * always read 32 neighbouring words, one in each bank.
 *
 * Remaining cost: half of the threads load one element and are idle from the first round on.
 */
#include "reduce.h"

static __global__ void reduce_sequential(const unsigned *in, unsigned *out, uint64_t n)
{
    extern __shared__ unsigned sum[];
    const unsigned t = threadIdx.x;
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + t;
    sum[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) sum[t] += sum[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sum[0];
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Sequential addressing",
    .after = "02_interleaved_strided",
    .suffers = "Lanes that read words 2s apart conflict in the banks of shared memory.",
    .changes = "The tree is folded: the lower half of the threads adds the upper half, so that a "
               "warp reads neighbouring words.",
    .pays = "Half of the threads only load one element and are idle from the first round on.",
    .claims =
        {
            {"Sequential accesses eliminate the bank conflicts.",
             "Liu, Reduction slides (after Harris)", "Reduction #3: Sequential Accesses", NULL,
             "shared_excess_wavefronts = 0 AND prev_shared_excess_wavefronts > 0"},
            {"The kernel with sequential addressing is faster (here: in blocks of 256 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction", NULL,
             "faster = 1", .block = 256},
            {"The kernel with sequential addressing is faster at the size and in the blocks of the "
             "slides (2^22, 128 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction",
             "4194304", "faster = 1", .block = 128},
        },
    .published =
        {
            LIU_G80(1.722e6, 9.741),
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 7.367e6, 291.5},
        },
    .launch_count = reduce_count_1,
    .plan = reduce_relaunch<reduce_sequential, 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
