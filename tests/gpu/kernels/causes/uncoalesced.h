/*
 * Defines the pairs of uncoalesced reads: thread (row, column) reads word row * row_pitch + column
 * * column_pitch of a symmetric matrix, along a row or along a column, and finds the same word
 * either way. It loads the word, or copies it into shared memory. The pitches are arguments: both
 * rungs of a pair run the same instructions. All write in coalesced order. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_UNCOALESCED_H
#define TESTS_GPU_CAUSES_UNCOALESCED_H

#include "causes.h"

enum { UNCOALESCED_BLOCK = 256 };

#ifdef __CUDACC__

/* The side of the matrix is a power of two, given by its exponent. */
static __global__ void causes_along(const uint32_t *in, uint32_t *out, uint64_t even, uint64_t odd,
                                    unsigned log2_side, unsigned row_pitch, unsigned column_pitch)
{
    const unsigned i = blockIdx.x * UNCOALESCED_BLOCK + threadIdx.x;
    const unsigned row = i >> log2_side, column = i & ((1u << log2_side) - 1);
    const uint32_t word = in[row * row_pitch + column * column_pitch]; /* the planted access */
    out[i] = causes_leap(word, causes_jump_of(word, even, odd));
}

/* The same by asynchronous copies. Compiled for an older architecture, it copies nothing. */
static __global__ void causes_copied_along(const uint32_t *in, uint32_t *out, uint64_t even,
                                           uint64_t odd, unsigned log2_side, unsigned row_pitch,
                                           unsigned column_pitch)
{
    __shared__ uint32_t slots[UNCOALESCED_BLOCK];
    const unsigned i = blockIdx.x * UNCOALESCED_BLOCK + threadIdx.x;
#if __CUDA_ARCH__ >= 800
    const unsigned row = i >> log2_side, column = i & ((1u << log2_side) - 1);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" /* the planted access */
                 ::"r"((unsigned)__cvta_generic_to_shared(&slots[threadIdx.x])),
                 "l"(&in[row * row_pitch + column * column_pitch])
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    const uint32_t word = slots[threadIdx.x];
    out[i] = causes_leap(word, causes_jump_of(word, even, odd));
}

static void uncoalesced_plan(const struct work *work, struct launch *launch, int is_copied,
                             int along_columns)
{
    const uint32_t side = causes_side(work->point.shape.dim[0]);
    const void *function =
        is_copied ? (const void *)causes_copied_along : (const void *)causes_along;
    causes_plan(work, launch, function, UNCOALESCED_BLOCK, 1, 1);
    launch_integer(launch, causes_log2(side));
    launch_integer(launch, along_columns ? 1 : side);
    launch_integer(launch, along_columns ? side : 1);
}

#endif
#endif
