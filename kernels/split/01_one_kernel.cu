/*
 * Rung 1: both parts in one kernel.
 *
 * Only 512 threads can work on the chains, one on each. The thread that adds a word to its chain
 * also performs the rounds of that word.
 *
 * Remaining cost: 512 threads leave most of the GPU idle during the part that could use all of it.
 */
#include "split.h"

static __global__ void split_one_kernel(const uint32_t *in, uint32_t *out, uint64_t n,
                                        unsigned rounds)
{
    out[blockIdx.x * SPLIT_NARROW_BLOCK + threadIdx.x] = split_chain<true>(in, n, rounds);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    split_narrow_plan(work, launch, (const void *)split_one_kernel, work->input[0]);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "One kernel",
    .suffers = "One part of the work can use any number of threads, the other only 512.",
    .changes = "One kernel of 512 threads performs both parts.",
    .pays = "The wide part runs in only 512 threads.",
    .full_only = 1,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
