/*
 * Shares the problem and the kernel between the rungs with aligned and misaligned reads. Each
 * thread sums 16 words, and each of them 64 times. The input has the first word once more at its
 * end, so that reads may begin one word further: then each thread has the sum of the next one.
 * Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_ALIGNMENT_H
#define TESTS_GPU_CAUSES_ALIGNMENT_H

#include "../planted.h"

enum { ALIGNMENT_BLOCK = 256, ALIGNMENT_WORDS = 16, ALIGNMENT_PASSES = 64 };

static inline uint64_t alignment_threads(uint64_t n)
{
    return n / ALIGNMENT_WORDS;
}

/* For variant.refuses. */
static inline const char *alignment_refuse(const struct point *point, int compute_capability)
{
    const uint64_t n = point->shape.dim[0];
    (void)compute_capability;
    return (n & (n - 1)) == 0 && n >= 1 << 12 && n <= 1 << 28
               ? NULL
               : "the number of words must be a power of two, 4096 or more and 268435456 or less";
}

#ifdef __CUDACC__

/* Reads words thread, thread + stride, ... of all 2^k words, in turn. The reads bypass the L1
 * cache, so each sector of a read comes from the L2 cache. */
static __global__ void alignment_sums(const uint32_t *in, uint32_t *out, unsigned last,
                                      unsigned stride, unsigned reads, unsigned further)
{
    const unsigned thread = blockIdx.x * ALIGNMENT_BLOCK + threadIdx.x;
    unsigned i = thread;
    uint32_t sum = 0;
#pragma unroll 8
    for (unsigned k = 0; k < reads; k++) {
        sum += __ldcg(&in[i]); /* the planted access */
        i = (i + stride) & last;
    }
    out[(thread + further) & (stride - 1)] = sum;
}

static void alignment_plan(const struct work *work, struct launch *launch, unsigned further)
{
    const uint64_t n = work->point.shape.dim[0], threads = alignment_threads(n);
    launch->function = (const void *)alignment_sums;
    launch->grid[0] = (unsigned)(threads / ALIGNMENT_BLOCK);
    launch->block[0] = ALIGNMENT_BLOCK;
    launch_pointer(launch, (const uint32_t *)work->input[0] + further);
    launch_pointer(launch, work->output);
    launch_integer(launch, n - 1);
    launch_integer(launch, threads);
    launch_integer(launch, ALIGNMENT_WORDS * ALIGNMENT_PASSES);
    launch_integer(launch, further);
}

#endif
#endif
