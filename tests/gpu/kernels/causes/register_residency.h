/*
 * Defines the pair of residency by registers: each thread reads word after word with one read in
 * flight, so the read rate of an SM follows its number of threads. A branch that is never taken
 * keeps HELD words in registers; the kernel is given as many registers as that branch needs. Both
 * rungs execute the same instructions in the same grid. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_REGISTER_RESIDENCY_H
#define TESTS_GPU_CAUSES_REGISTER_RESIDENCY_H

#include "causes.h"

/* Up to 32 registers four blocks fit on an SM with 65536; with more than 64 one does. */
enum { REGISTERS_BLOCK = 512, REGISTERS_WORDS = 16, REGISTERS_FEW = 12, REGISTERS_MANY = 84 };

#ifdef __CUDACC__

/* `never` is 0 at run time. Accesses to volatile words stay in order, so all words are loaded
 * before the first is stored. */
template <unsigned HELD>
static __global__ void __launch_bounds__(REGISTERS_BLOCK)
    causes_held(const uint32_t *in, uint32_t *out, uint64_t even, uint64_t odd, unsigned never)
{
    const unsigned first = blockIdx.x * (REGISTERS_BLOCK * REGISTERS_WORDS) + threadIdx.x;
    if (never) {
        volatile uint32_t *const place = &out[first];
        uint32_t held[HELD]; /* the planted registers */
#pragma unroll
        for (unsigned k = 0; k < HELD; k++) held[k] = place[k];
#pragma unroll
        for (unsigned k = 0; k < HELD; k++) place[HELD - 1 - k] = held[k];
    }
#pragma unroll 1
    for (unsigned k = 0; k < REGISTERS_WORDS; k++) {
        const unsigned i = first + k * REGISTERS_BLOCK;
        const uint32_t word = in[i];
        out[i] = causes_leap(word, causes_jump_of(word, even, odd));
    }
}

static void registers_plan(const struct work *work, struct launch *launch, const void *function)
{
    causes_plan(work, launch, function, REGISTERS_BLOCK, REGISTERS_WORDS, 1);
    launch_integer(launch, 0);
}

#endif
#endif
