/*
 * Shares code between the rungs of the operations family: the eight operations, and the launch.
 * Nothing is owned.
 */
#ifndef KERNELS_OPERATIONS_H
#define KERNELS_OPERATIONS_H

#include "catalog/variant.h"

enum { OPERATIONS = 8, OPERATION_ROUNDS = 64, OPERATIONS_BLOCK = 256 };

#ifdef __CUDACC__
#define OPERATIONS_BOTH __host__ __device__
#else
#define OPERATIONS_BOTH
#endif

/* One round of operation `k`, modulo 2^32. */
static OPERATIONS_BOTH inline uint32_t operation_round(unsigned k, uint32_t word)
{
    word = word * (1664525u + 8u * k) + 1013904223u;
    return word ^ word >> (9u + k);
}

/* Operation `k` of a word: the rounds of a generator of its own, each of which needs the result of
 * the one before. */
static OPERATIONS_BOTH inline uint32_t operation(unsigned k, uint32_t word)
{
    for (int round = 0; round < OPERATION_ROUNDS; round++) word = operation_round(k, word);
    return word;
}

/* One launch of a kernel (in, out, n): a thread for each element, in `rows` rows of the grid. */
static inline void operations_plan(const struct work *work, struct launch *launch,
                                   const void *function, unsigned rows)
{
    const uint64_t n = work->point.shape.dim[0];
    launch->function = function;
    launch->grid[0] = (unsigned)((n + OPERATIONS_BLOCK - 1) / OPERATIONS_BLOCK);
    launch->grid[1] = rows;
    launch->block[0] = OPERATIONS_BLOCK;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, n);
}

#endif
