/*
 * Rung 1: a per-thread array whose loops are not unrolled.
 *
 * The array is indexed by a loop variable. Registers have no addresses, so an array indexed at run
 * time must be in memory. The compiler puts it into local memory: device memory behind the L1
 * cache, private to the thread.
 *
 * Remaining cost: a load and a store for every step, and the traffic of data that do not fit in the
 * caches.
 */
#include "storage.h"

template <unsigned WORDS>
static __global__ void storage_local_memory(const uint32_t *in, uint32_t *out, uint64_t n,
                                            int rounds)
{
    const uint64_t first = (uint64_t)blockIdx.x * STORAGE_BLOCK * WORDS + threadIdx.x;
    uint32_t word[WORDS];
#pragma unroll 1
    for (unsigned k = 0; k < WORDS; k++)
        word[k] = first + k * STORAGE_BLOCK < n ? in[first + k * STORAGE_BLOCK] : 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll 1
        for (unsigned k = 0; k < WORDS; k++) word[k] = storage_step(word[k]);
    }
#pragma unroll 1
    for (unsigned k = 0; k < WORDS; k++)
        if (first + k * STORAGE_BLOCK < n) out[first + k * STORAGE_BLOCK] = word[k];
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    storage_plan(work, launch, STORAGE_KERNEL(storage_local_memory, work->point.sweep));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Array in local memory",
    .suffers = "Each thread works through an array of its own many times.",
    .changes =
        "The array has a fixed size on the thread's stack, and loops over it are not unrolled.",
    .pays = "Each step needs a load and a store, because the array is in local memory.",
    STORAGE_SWEEP,
    .claims =
        {
            {"An array whose loops are not unrolled does not stay in registers: it has local "
             "memory of its full size.",
             "Skarupke, CUDA performance surprises", "There are different kinds of memory", NULL,
             "local_bytes >= 4 * sweep"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
