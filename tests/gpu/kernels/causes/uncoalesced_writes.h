/*
 * Defines the pair of uncoalesced writes: thread (row, column) reads the word there and writes its
 * result at row * row_pitch + column * column_pitch of a symmetric matrix, along a row or along a
 * column; the right result is the same either way. The pitches are arguments: both rungs run the
 * same instructions. Both read in coalesced order. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_UNCOALESCED_WRITES_H
#define TESTS_GPU_CAUSES_UNCOALESCED_WRITES_H

#include "causes.h"

enum { WRITES_BLOCK = 256 };

#ifdef __CUDACC__

/* The side of the matrix is a power of two, given by its exponent. */
static __global__ void causes_write_along(const uint32_t *in, uint32_t *out, uint64_t even,
                                          uint64_t odd, unsigned log2_side, unsigned row_pitch,
                                          unsigned column_pitch)
{
    const unsigned i = blockIdx.x * WRITES_BLOCK + threadIdx.x;
    const unsigned row = i >> log2_side, column = i & ((1u << log2_side) - 1);
    const uint32_t word = in[i];
    out[row * row_pitch + column * column_pitch] = /* the planted access */
        causes_leap(word, causes_jump_of(word, even, odd));
}

static void writes_plan(const struct work *work, struct launch *launch, int along_columns)
{
    const uint32_t side = causes_side(work->point.shape.dim[0]);
    causes_plan(work, launch, (const void *)causes_write_along, WRITES_BLOCK, 1, 1);
    launch_integer(launch, causes_log2(side));
    launch_integer(launch, along_columns ? 1 : side);
    launch_integer(launch, along_columns ? side : 1);
}

#endif
#endif
