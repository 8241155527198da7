/*
 * Rung 3: the array in shared memory.
 *
 * Shared memory can be indexed at run time, so nothing needs to be unrolled. Thread t has every
 * 256th word: the lanes of a warp always use 32 different banks.
 *
 * Remaining cost: a load and a store for every step, through the one pipe to shared memory.
 */
#include "storage.h"

template <unsigned WORDS>
static __global__ void storage_shared_memory(const uint32_t *in, uint32_t *out, uint64_t n,
                                             int rounds)
{
    const uint64_t first = (uint64_t)blockIdx.x * STORAGE_BLOCK * WORDS + threadIdx.x;
    extern __shared__ uint32_t words[];
    uint32_t *const word = words + threadIdx.x;
#pragma unroll 1
    for (unsigned k = 0; k < WORDS; k++)
        word[k * STORAGE_BLOCK] = first + k * STORAGE_BLOCK < n ? in[first + k * STORAGE_BLOCK] : 0;
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
#pragma unroll 1
        for (unsigned k = 0; k < WORDS; k++)
            word[k * STORAGE_BLOCK] = storage_step(word[k * STORAGE_BLOCK]);
    }
#pragma unroll 1
    for (unsigned k = 0; k < WORDS; k++)
        if (first + k * STORAGE_BLOCK < n) out[first + k * STORAGE_BLOCK] = word[k * STORAGE_BLOCK];
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    storage_plan(work, launch, STORAGE_KERNEL(storage_shared_memory, work->point.sweep));
    launch->dynamic_shared = (size_t)work->point.sweep * STORAGE_BLOCK * sizeof(uint32_t);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Array in shared memory",
    .after = "02_registers",
    .suffers = "Each element is a register, so long arrays leave room for only a few threads.",
    .changes =
        "The array is in shared memory, a column of it per thread; loops need not be unrolled.",
    .pays = "Each step needs a load and a store, through the one pipe to shared memory.",
    STORAGE_SWEEP,
    .claims =
        {
            {"Shared memory is slower than registers.", "Skarupke, CUDA performance surprises",
             "There are different kinds of memory", NULL, "slower"},
            {"Shared memory is faster than ordinary memory (here: than local memory, where the "
             "array was at first).",
             "Skarupke, CUDA performance surprises", "There are different kinds of memory", NULL,
             "CASE WHEN speedup_first_low > 1 + max(floor_pct, first_floor_pct) / 100.0 THEN 1 "
             "WHEN max(floor_pct, first_floor_pct) <= 2 AND speedup_first_high <= 1 + "
             "max(floor_pct, first_floor_pct) / 100.0 THEN 0 END"},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
