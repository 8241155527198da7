/*
 * Defines the pair with atomic additions in global memory. The distance of the warps' words is an
 * argument: both rungs run the same instructions. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_ATOMICS_GLOBAL_H
#define TESTS_GPU_CAUSES_ATOMICS_GLOBAL_H

#include "atomics.h"

#ifdef __CUDACC__

/* Each warp adds the numbers of 32 words to its target in global memory. */
static __global__ void atomics_in_global(const uint32_t *in, uint32_t *target, unsigned warp_pitch)
{
    const unsigned t = threadIdx.x, lane = t % 32;
    const unsigned warp = (blockIdx.x * ATOMICS_BLOCK + t) / 32;
    const uint32_t *const word = &in[blockIdx.x * (ATOMICS_BLOCK * ATOMICS_WORDS) + t];
    uint32_t *const mine = &target[warp * warp_pitch];
#pragma unroll 4
    for (unsigned k = 0; k < ATOMICS_WORDS; k++) {
        uint32_t number = word[k * ATOMICS_BLOCK], sum = 0;
#pragma unroll
        for (unsigned j = 0; j < ATOMICS_NUMBERS; j++) {
            sum += number;
            number = ATOMICS_NEXT(number);
        }
        sum = atomics_sum_of_warp(sum);
        if (lane == 0) atomicAdd(mine, sum); /* the planted addition in global memory */
    }
}

/* One block adds up the targets. */
static __global__ void atomics_fold(const uint32_t *target, uint32_t *out, unsigned targets)
{
    uint32_t sum = 0;
    for (unsigned i = threadIdx.x; i < targets; i += ATOMICS_FOLD) sum += target[i];
    sum = atomics_sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

/* For variant.launch_count: the second launch adds up the targets. */
static unsigned atomics_global_launches(const struct point *point)
{
    (void)point;
    return 2;
}

static void atomics_global_plan(const struct work *work, unsigned index, unsigned warp_pitch,
                                struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0], targets = atomics_targets(n);
    launch->function = index ? (const void *)atomics_fold : (const void *)atomics_in_global;
    launch->grid[0] = index ? 1 : (unsigned)(n / (ATOMICS_BLOCK * ATOMICS_WORDS));
    launch->block[0] = index ? ATOMICS_FOLD : ATOMICS_BLOCK;
    launch->clear_output = index == 1;
    launch->clear_scratch = index ? 0 : targets * sizeof(uint32_t);
    launch_pointer(launch, index ? work->scratch : work->input[0]);
    launch_pointer(launch, index ? work->output : work->scratch);
    launch_integer(launch, index ? targets : warp_pitch);
}

#endif
#endif
