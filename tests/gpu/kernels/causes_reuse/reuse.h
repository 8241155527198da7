/*
 * Shares the problem and the kernel between the rungs with a short and a long reuse distance: each
 * of 2^18 threads sums its words, and each word twice. Nothing is owned.
 */
#ifndef TESTS_GPU_CAUSES_REUSE_H
#define TESTS_GPU_CAUSES_REUSE_H

#include "../planted.h"

enum { REUSE_BLOCK = 256, REUSE_LOG2_THREADS = 18, REUSE_LOG2_NEAR = 3 };

/* For variant.refuses. */
static inline const char *reuse_refuse(const struct point *point, int compute_capability)
{
    const uint64_t n = point->shape.dim[0];
    (void)compute_capability;
    return (n & (n - 1)) == 0 && n >= 1 << (REUSE_LOG2_THREADS + REUSE_LOG2_NEAR) && n <= 1u << 30
               ? NULL
               : "the number of words must be a power of two, 2097152 or more and 1073741824 or "
                 "less";
}

static inline unsigned reuse_log2_words_per_thread(uint64_t n)
{
    unsigned log2 = 0;
    while (n >> (REUSE_LOG2_THREADS + log2 + 1)) log2++;
    return log2;
}

#ifdef __CUDACC__

/* The thread reads a run of 2^log2_run of its words, the same run again, and then the next run. The
 * reads bypass the L1 cache. */
static __global__ void reuse_sums(const uint32_t *in, uint32_t *out, unsigned visits,
                                  unsigned log2_run)
{
    const unsigned thread = blockIdx.x * REUSE_BLOCK + threadIdx.x;
    const unsigned in_run = (1u << log2_run) - 1;
    uint32_t sum = 0;
#pragma unroll 8
    for (unsigned visit = 0; visit < visits; visit++) {
        const unsigned k = ((visit >> 1) & ~in_run) | (visit & in_run); /* the planted order */
        sum += __ldcg(&in[(k << REUSE_LOG2_THREADS) + thread]);
    }
    out[thread] = sum;
}

static void reuse_plan(const struct work *work, struct launch *launch, unsigned log2_run)
{
    launch->function = (const void *)reuse_sums;
    launch->grid[0] = (1u << REUSE_LOG2_THREADS) / REUSE_BLOCK;
    launch->block[0] = REUSE_BLOCK;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, 2u << reuse_log2_words_per_thread(work->point.shape.dim[0]));
    launch_integer(launch, log2_run);
}

#endif
#endif
