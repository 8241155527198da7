/*
 * Defines the rungs with atomic additions in shared memory. The distances of the words of lanes and
 * warps are arguments: all rungs run the same instructions. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_ATOMICS_SHARED_H
#define TESTS_GPU_CAUSES_ATOMICS_SHARED_H

#include "atomics.h"

#ifdef __CUDACC__

/* Each thread adds every number to its slot in shared memory. In the end the block adds all slots
 * to the result. */
static __global__ void atomics_in_shared(const uint32_t *in, uint32_t *out, unsigned lane_pitch,
                                         unsigned warp_pitch)
{
    __shared__ uint32_t slot[ATOMICS_SLOTS];
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    const uint32_t *const word = &in[blockIdx.x * (ATOMICS_BLOCK * ATOMICS_WORDS) + t];
    uint32_t *const mine = &slot[lane * lane_pitch + warp * warp_pitch];
    for (unsigned i = t; i < ATOMICS_SLOTS; i += ATOMICS_BLOCK) slot[i] = 0;
    __syncthreads();
#pragma unroll 4
    for (unsigned k = 0; k < ATOMICS_WORDS; k++) {
        uint32_t number = word[k * ATOMICS_BLOCK];
#pragma unroll
        for (unsigned j = 0; j < ATOMICS_NUMBERS; j++) {
            atomicAdd(mine, number); /* the planted addition in shared memory */
            number = ATOMICS_NEXT(number);
        }
    }
    __syncthreads();
    uint32_t sum = 0;
    for (unsigned i = t; i < ATOMICS_SLOTS; i += ATOMICS_BLOCK) sum += slot[i];
    sum = atomics_sum_of_warp(sum);
    if (lane == 0) atomicAdd(out, sum);
}

static void atomics_shared_plan(const struct work *work, struct launch *launch, unsigned lane_pitch,
                                unsigned warp_pitch)
{
    launch->function = (const void *)atomics_in_shared;
    launch->grid[0] = (unsigned)(work->point.shape.dim[0] / (ATOMICS_BLOCK * ATOMICS_WORDS));
    launch->block[0] = ATOMICS_BLOCK;
    launch->clear_output = 1;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, lane_pitch);
    launch_integer(launch, warp_pitch);
}

#endif
#endif
