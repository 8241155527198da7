/*
 * Defines the pair of bytes in flight: the address of a read depends on the word that was read
 * DISTANCE reads before, so each thread has at most that many reads in flight. Unused shared memory
 * limits both rungs to one block of few warps per SM. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_IN_FLIGHT_H
#define TESTS_GPU_CAUSES_IN_FLIGHT_H

#include "causes.h"

enum { FLIGHT_BLOCK = 128, FLIGHT_WORDS = 32, FLIGHT_MOST = 8 };

#ifdef __CUDACC__

/* `zero` is 0 at run time: it makes the dependence and changes no address. Each result is written
 * eight reads later, so in both rungs reads and writes are in the same order. */
template <unsigned DISTANCE>
static __global__ void causes_chained(const uint32_t *in, uint32_t *out, uint64_t even,
                                      uint64_t odd, unsigned zero)
{
    const unsigned first = blockIdx.x * (FLIGHT_BLOCK * FLIGHT_WORDS) + threadIdx.x;
    uint32_t word[FLIGHT_WORDS];
#pragma unroll
    for (unsigned k = 0; k < FLIGHT_WORDS + FLIGHT_MOST; k++) {
        if (k < FLIGHT_WORDS) {
            const uint32_t before = k < DISTANCE ? first : word[k - DISTANCE];
            word[k] = in[first + k * FLIGHT_BLOCK + (before & zero)]; /* the planted dependence */
        }
        if (k >= FLIGHT_MOST) {
            const unsigned done = k - FLIGHT_MOST;
            out[first + done * FLIGHT_BLOCK] =
                causes_leap(word[done], causes_jump_of(word[done], even, odd));
        }
    }
}

static void flight_plan(const struct work *work, struct launch *launch, const void *function)
{
    causes_plan(work, launch, function, FLIGHT_BLOCK, FLIGHT_WORDS, 1);
    launch_integer(launch, 0);
    launch->dynamic_shared = CAUSES_ONE_BLOCK;
}

#endif
#endif
