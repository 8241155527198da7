/*
 * A kernel whose machine code the program carries, so that its instructions have text and lines;
 * the CPU runs what stands for it (family.c).
 */
extern "C" {
#include "sums.h"
}

extern "C" __global__ void sum_machine_code(const uint32_t *from, uint32_t *to, uint64_t words,
                                            uint64_t setting)
{
    __shared__ uint32_t partial[SUMS_THREADS];
    uint32_t sum = (uint32_t)setting;
    for (uint64_t i = words * blockIdx.x / gridDim.x + threadIdx.x;
         i < words * (blockIdx.x + 1) / gridDim.x; i += SUMS_THREADS)
        sum += from[i];
    partial[threadIdx.x] = sum;
    for (unsigned half = SUMS_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0) to[blockIdx.x] = partial[0];
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    sums_plan(work, index, launch, (const void *)sum_machine_code);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Machine code",
    .after = "05_refused",
    .suffers = "Most sizes.",
    .changes = "Its code is there to be read.",
    .pays = "A compiler.",
    .launch_count = sums_launches,
    .plan = plan,
};
