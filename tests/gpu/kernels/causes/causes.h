/*
 * Shares the problem and the launch between the kernels with planted causes. Nothing is owned.
 *
 * The problem can be done with as much or as little work as a pair of rungs needs: a word is
 * advanced by 128 steps of a random number generator; a step is a multiplication and an addition
 * modulo 2^32, and so is a jump over any number of steps. The highest bit of a word selects one of
 * two generators. The words are a symmetric matrix, so its rows and columns read the same. The
 * highest bit is the same in each tile of 32 x 32 words and alternates between tiles as on a
 * chessboard, so a warp on neighbouring words has words of one kind.
 */
#ifndef TESTS_GPU_CAUSES_H
#define TESTS_GPU_CAUSES_H

#include "../planted.h"

enum {
    CAUSES_STEPS = 128,
    CAUSES_LOG2_TILE = 5,
    CAUSES_TILE = 1 << CAUSES_LOG2_TILE,
    CAUSES_LEAST = 1 << 20, /* words: rows of 1024 */
    CAUSES_MOST = 1 << 28
};

struct causes_generator {
    uint32_t multiplier;
    uint32_t increment;
};

/* Selected by the highest bit of the word: the quick generator of Numerical Recipes, and one with
 * Borland's multiplier. */
static const struct causes_generator causes_generators[2] = {
    {1664525u, 1013904223u},
    {22695477u, 12345u},
};

/* Sizes are powers of four: then the rows are a power of two long, and there are as many of
 * them. */
static inline int causes_fits(uint64_t n)
{
    if (n < CAUSES_LEAST || n > CAUSES_MOST) return 0;
    while (n > 1 && n % 4 == 0) n /= 4;
    return n == 1;
}

static inline uint32_t causes_side(uint64_t n)
{
    uint32_t side = 1;
    while ((uint64_t)side * side < n) side *= 2;
    return side;
}

/* Returns the logarithm of a power of two. */
static inline unsigned causes_log2(uint32_t power)
{
    unsigned log2 = 0;
    while (1u << log2 < power) log2++;
    return log2;
}

/* For variant.refuses. */
static inline const char *causes_refuse(const struct point *point, int compute_capability)
{
    (void)compute_capability;
    return causes_fits(point->shape.dim[0]) ? NULL
                                            : "the number of words must be a power of four, "
                                              "1048576 or more and 268435456 or less";
}

/* The same for kernels with asynchronous copies. */
static inline const char *causes_refuse_copies(const struct point *point, int compute_capability)
{
    return compute_capability < 80 ? "asynchronous copies need compute capability 8.0"
                                   : causes_refuse(point, compute_capability);
}

/* For variant.refuses, if 116 KiB of shared memory keep further blocks off an SM. */
static inline const char *causes_refuse_small_shared(const struct point *point,
                                                     int compute_capability)
{
    const int large = compute_capability == 80 || compute_capability == 87 ||
                      (compute_capability >= 90 && compute_capability < 120);
    return large ? causes_refuse(point, compute_capability)
                 : "a block needs 116 KiB of shared memory";
}

/* A block with this much shared memory leaves no room for a second one on the SM: SMs with 228 KiB
 * or less hold one. */
enum { CAUSES_ONE_BLOCK = 116 << 10 };

/* A jump over `steps` steps, x -> x * multiplier + increment; the increment is the upper half. */
static inline uint64_t causes_jump(const struct causes_generator *generator, unsigned steps)
{
    uint32_t multiplier = 1, increment = 0;
    for (unsigned i = 0; i < steps; i++) {
        multiplier *= generator->multiplier;
        increment = increment * generator->multiplier + generator->increment;
    }
    return (uint64_t)increment << 32 | multiplier;
}

/* One launch of a kernel (in, out, jump of words without, jump of words with the highest bit, ...):
 * the rung adds the remaining arguments, mostly the number of jumps per word, given at run time so
 * that no compiler evaluates them. */
static inline void causes_plan(const struct work *work, struct launch *launch, const void *function,
                               unsigned block, unsigned words_per_thread, unsigned jumps)
{
    launch->function = function;
    launch->grid[0] = (unsigned)(work->point.shape.dim[0] / ((uint64_t)block * words_per_thread));
    launch->block[0] = block;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    for (int kind = 0; kind < 2; kind++)
        launch_integer(launch, causes_jump(&causes_generators[kind], CAUSES_STEPS / jumps));
}

#ifdef __CUDACC__

/* Returns the jump for this word. */
static __device__ inline uint64_t causes_jump_of(uint32_t word, uint64_t even, uint64_t odd)
{
    return word >> 31 ? odd : even;
}

static __device__ inline uint32_t causes_leap(uint32_t word, uint64_t jump)
{
    return word * (uint32_t)jump + (uint32_t)(jump >> 32);
}

/* Makes `jumps` jumps, two at a time, at least two. Two multiplications, two loop instructions that
 * use another pipe, and a branch: with this even mix the issue slots run out first. */
static __device__ inline uint32_t causes_advance(uint32_t word, uint64_t jump, unsigned jumps)
{
    unsigned done = 0;
#pragma unroll 1
    do {
        word = causes_leap(causes_leap(word, jump), jump);
        done += 2;
    } while (done < jumps);
    return word;
}

#endif
#endif
