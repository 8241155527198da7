/*
 * Shares code between the rungs of the split family: the generator, the wide and the narrow part,
 * and the launch of the narrow one. A size is words x rounds. Nothing is owned.
 */
#ifndef KERNELS_SPLIT_H
#define KERNELS_SPLIT_H

#include "catalog/variant.h"

enum {
    SPLIT_CHAINS = 512,
    SPLIT_NARROW_BLOCK = 32, /* one warp, so that the 16 warps can run on 16 SMs */
    SPLIT_WIDE_BLOCK = 256,
    SPLIT_TOGETHER = 16
};

#ifdef __CUDACC__
#define SPLIT_BOTH __host__ __device__
#else
#define SPLIT_BOTH
#endif

/* One step of the generator, modulo 2^32. */
static SPLIT_BOTH inline uint32_t split_step(uint32_t word)
{
    word = word * 1664525u + 1013904223u;
    return word ^ word >> 15;
}

/* The wide part: a word after its rounds. */
static SPLIT_BOTH inline uint32_t split_advance(uint32_t word, unsigned rounds)
{
    for (unsigned round = 0; round < rounds; round++) word = split_step(word);
    return word;
}

/* The narrow part: a chain after one more word. The order of the words matters. */
static SPLIT_BOTH inline uint32_t split_fold(uint32_t chain, uint32_t word)
{
    return split_step(chain ^ word);
}

/* One launch of a kernel (in, out, n, rounds) with a thread for each chain. */
static inline void split_narrow_plan(const struct work *work, struct launch *launch,
                                     const void *function, const void *in)
{
    launch->function = function;
    launch->grid[0] = SPLIT_CHAINS / SPLIT_NARROW_BLOCK;
    launch->block[0] = SPLIT_NARROW_BLOCK;
    launch_pointer(launch, in);
    launch_pointer(launch, work->output);
    launch_integer(launch, work->point.shape.dim[0]);
    launch_integer(launch, work->point.shape.dim[1]);
}

#ifdef __CUDACC__

/* Folds this thread's chain; with ADVANCE it performs the wide part of each word first. Sixteen
 * words are loaded while the sixteen before them are processed, and their rounds are interleaved,
 * so that a thread hides latency as well as it can alone. */
template <bool ADVANCE>
static __device__ inline uint32_t split_chain(const uint32_t *__restrict__ in, uint64_t n,
                                              unsigned rounds)
{
    const unsigned chain = blockIdx.x * SPLIT_NARROW_BLOCK + threadIdx.x;
    const uint64_t batch = SPLIT_TOGETHER * SPLIT_CHAINS, whole = n / batch * batch;
    uint32_t state = 0, next[SPLIT_TOGETHER];
    if (whole > 0) {
#pragma unroll
        for (int j = 0; j < SPLIT_TOGETHER; j++) next[j] = in[chain + j * SPLIT_CHAINS];
    }
#pragma unroll 1
    for (uint64_t first = batch; first <= whole; first += batch) {
        uint32_t word[SPLIT_TOGETHER];
#pragma unroll
        for (int j = 0; j < SPLIT_TOGETHER; j++) word[j] = next[j];
        if (first < whole) {
#pragma unroll
            for (int j = 0; j < SPLIT_TOGETHER; j++) next[j] = in[first + chain + j * SPLIT_CHAINS];
        }
        if (ADVANCE) {
#pragma unroll 1
            for (unsigned round = 0; round < rounds; round++) {
#pragma unroll
                for (int j = 0; j < SPLIT_TOGETHER; j++) word[j] = split_step(word[j]);
            }
        }
#pragma unroll
        for (int j = 0; j < SPLIT_TOGETHER; j++) state = split_fold(state, word[j]);
    }
#pragma unroll 1
    for (uint64_t i = whole + chain; i < n; i += SPLIT_CHAINS)
        state = split_fold(state, ADVANCE ? split_advance(in[i], rounds) : in[i]);
    return state;
}

#endif
#endif
