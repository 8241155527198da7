/*
 * Rung 6: completely unrolled.
 *
 * Rung 5 still loops above the last warp. Here the block size is a template parameter, so the
 * compiler unrolls every round and drops those that a smaller block does not have: no loop counter,
 * no comparison, no branch back.
 *
 * Remaining cost: each thread still loads only two elements. A block spends most of its time in the
 * tree and little of it reading memory.
 */
#include "reduce.h"

template <unsigned BLOCK>
static __global__ void reduce_fully_unrolled(const unsigned *in, unsigned *out, uint64_t n)
{
    __shared__ unsigned sum[BLOCK];
    const unsigned t = threadIdx.x;
    const uint64_t i = (uint64_t)blockIdx.x * BLOCK * 2 + t;
    const uint64_t j = i + BLOCK;
    sum[t] = (i < n ? in[i] : 0) + (j < n ? in[j] : 0);
    reduce_tree<BLOCK>(sum, t);
    if (t == 0) out[blockIdx.x] = sum[0];
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    const int block = work->point.block;
    const struct reduce_level level = reduce_level(work, 2 * (uint64_t)block, index);
    const void *function = block == 128 ? (const void *)reduce_fully_unrolled<128>
                                        : (const void *)reduce_fully_unrolled<256>;
    reduce_plan(launch, function, &level, block, 0);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Fully unrolled",
    .after = "05_last_warp_unrolled",
    .suffers = "The rounds above the last warp still run in a loop, because the block size is "
               "known only at run time.",
    .changes = "The block size is a template parameter: the compiler unrolls every round.",
    .pays = "Each thread loads only two elements, so a block spends most of its time in the tree "
            "and little of it reading memory.",
    .claims =
        {
            {"Complete unrolling removes the loop's ancillary instructions (here: no barrier is "
             "left in a loop, and fewer instructions are executed).",
             "Liu, Reduction slides (after Harris)", "Reduction #6: Complete Unrolling", NULL,
             "sass_loop_barriers = 0 AND prev_sass_loop_barriers > 0 AND warp_instructions < "
             "prev_warp_instructions"},
            {"Complete unrolling makes the kernel faster again (here: in blocks of 256 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction", NULL,
             "faster = 1", .block = 256},
            {"Complete unrolling makes the kernel faster again at the size and in the blocks of "
             "the slides (2^22, 128 threads).",
             "Liu, Reduction slides (after Harris)", "Performance for 4M element reduction",
             "4194304", "faster = 1", .block = 128},
        },
    .published =
        {
            LIU_G80(0.381e6, 43.996),
            {"Yikai, Reduction notes", "A100", 1555, "536870912", 0, 0, 2.688e6, 798.915},
        },
    .launch_count = reduce_count_2,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
