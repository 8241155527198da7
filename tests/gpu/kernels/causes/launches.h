/*
 * Defines the pair of launches: the words are advanced by one launch, or by several on equal parts
 * of them. All launches are of the same kernel. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_LAUNCHES_H
#define TESTS_GPU_CAUSES_LAUNCHES_H

#include "causes.h"

enum { LAUNCHES_BLOCK = 256, LAUNCHES_MANY = 8 };

#ifdef __CUDACC__

static __global__ void causes_part(const uint32_t *in, uint32_t *out, uint64_t even, uint64_t odd)
{
    const unsigned i = blockIdx.x * LAUNCHES_BLOCK + threadIdx.x;
    const uint32_t word = in[i];
    out[i] = causes_leap(word, causes_jump_of(word, even, odd));
}

static void launches_plan(const struct work *work, unsigned index, unsigned parts,
                          struct launch *launch)
{
    struct work part = *work;
    part.point.shape.dim[0] /= parts;
    part.input[0] = (const uint32_t *)work->input[0] + index * part.point.shape.dim[0];
    part.output = (uint32_t *)work->output + index * part.point.shape.dim[0];
    causes_plan(&part, launch, (const void *)causes_part, LAUNCHES_BLOCK, 1, 1);
}

#endif
#endif
