/*
 * Defines the pair of predication: there is a round for each kind of words, in which the jumps of
 * lanes with words of the other kind are switched off by a predicate. A warp skips a round if none
 * of its lanes has work there, so no branch diverges. Bits 5 and `bit` of a thread's index are
 * exchanged to give the index of its word: with bit 6 warps exchange their words, with bit 4 half
 * warps do. The bit is an argument: both rungs run the same machine code, and a warp reads four
 * sectors either way. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_PREDICATION_H
#define TESTS_GPU_CAUSES_PREDICATION_H

#include "causes.h"

enum { PREDICATION_BLOCK = 256, PREDICATION_JUMPS = 128, PREDICATION_UNROLL = 16 };

#ifdef __CUDACC__

/* A jump of the lanes that are on. `all` has all bits set at run time: the logical operation
 * changes nothing, and uses another pipe than the multiply-add. Inline assembly keeps the compiler
 * from branching around them. */
static __device__ inline void predication_leap(uint32_t *word, uint64_t jump, uint32_t all, int on)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %1, 0;\n"
                 "@p and.b32 %0, %0, %2;\n" /* the planted predicates */
                 "@p mad.lo.u32 %0, %0, %3, %4;\n}"
                 : "+r"(*word)
                 : "r"(on), "r"(all), "r"((uint32_t)jump), "r"((uint32_t)(jump >> 32)));
}

static __global__ void causes_rounds(const uint32_t *in, uint32_t *out, uint64_t even, uint64_t odd,
                                     unsigned jumps, uint32_t all, unsigned bit)
{
    const unsigned thread = blockIdx.x * PREDICATION_BLOCK + threadIdx.x;
    const unsigned differ = (thread >> 5 ^ thread >> bit) & 1;
    const unsigned i = thread ^ (differ << 5 | differ << bit);
    uint32_t word = in[i];
    const unsigned kind = word >> 31;
#pragma unroll 1
    for (unsigned round = 0; round < 2; round++) {
        const int on = kind == round;
        if (!__any_sync(~0u, on)) continue;
        const uint64_t jump = round ? odd : even;
#pragma unroll 1
        for (unsigned done = 0; done < jumps; done += PREDICATION_UNROLL) {
#pragma unroll
            for (unsigned k = 0; k < PREDICATION_UNROLL; k++)
                predication_leap(&word, jump, all, on);
        }
    }
    out[i] = word;
}

static void predication_plan(const struct work *work, struct launch *launch, unsigned bit)
{
    causes_plan(work, launch, (const void *)causes_rounds, PREDICATION_BLOCK, 1, PREDICATION_JUMPS);
    launch_integer(launch, PREDICATION_JUMPS);
    launch_integer(launch, ~0u);
    launch_integer(launch, bit);
}

#endif
#endif
