/*
 * Shares code between the rungs of the storage family: the step of the generator, the words of a
 * block, and the plan. Nothing is owned.
 */
#ifndef KERNELS_STORAGE_H
#define KERNELS_STORAGE_H

#include "catalog/variant.h"

enum { STORAGE_ROUNDS = 64, STORAGE_BLOCK = 256 };

#ifdef __CUDACC__
#define STORAGE_BOTH __host__ __device__
#else
#define STORAGE_BOTH
#endif

/* Numerical Recipes' quick generator. */
static STORAGE_BOTH inline uint32_t storage_step(uint32_t word)
{
    return word * 1664525u + 1013904223u;
}

#define STORAGE_SWEEP                                                                              \
    .sweep_name = "words", .sweep_text = "words in the array of a thread",                         \
    .sweep_values = {4, 8, 16, 24, 32, 64, 88, 96, 128, 192}

/* The instance of a kernel template <WORDS> for a setting. */
#define STORAGE_KERNEL(kernel, words)                                                              \
    ((words) == 4     ? (const void *)kernel<4>                                                    \
     : (words) == 8   ? (const void *)kernel<8>                                                    \
     : (words) == 16  ? (const void *)kernel<16>                                                   \
     : (words) == 24  ? (const void *)kernel<24>                                                   \
     : (words) == 32  ? (const void *)kernel<32>                                                   \
     : (words) == 64  ? (const void *)kernel<64>                                                   \
     : (words) == 88  ? (const void *)kernel<88>                                                   \
     : (words) == 96  ? (const void *)kernel<96>                                                   \
     : (words) == 128 ? (const void *)kernel<128>                                                  \
                      : (const void *)kernel<192>)

/* One launch of a kernel (in, out, n, rounds): each block takes 256 x words neighbouring words, and
 * thread t every 256th of them. */
static inline void storage_plan(const struct work *work, struct launch *launch,
                                const void *function)
{
    const uint64_t n = work->point.shape.dim[0],
                   per_block = (uint64_t)STORAGE_BLOCK * (uint64_t)work->point.sweep;
    launch->function = function;
    launch->grid[0] = (unsigned)((n + per_block - 1) / per_block);
    launch->block[0] = STORAGE_BLOCK;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, n);
    launch_integer(launch,
                   STORAGE_ROUNDS); /* at run time, so that no compiler can evaluate the rounds */
}

#endif
