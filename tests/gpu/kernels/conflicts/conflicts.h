/*
 * Defines the kernels with planted bank conflicts: STRIDE and WORD of the including file set how
 * the lanes of a warp read. Nothing is owned.
 */
#ifndef TESTS_GPU_CONFLICTS_H
#define TESTS_GPU_CONFLICTS_H

#include "catalog/variant.h"

enum { CONFLICT_WORDS = 1024, CONFLICT_THREADS = 256 };

#ifdef __CUDACC__

static __device__ inline unsigned sum_of(unsigned word)
{
    return word;
}

static __device__ inline unsigned sum_of(uint4 words)
{
    return words.x + words.y + words.z + words.w;
}

/* Every lane reads all words, one after the other, from its own start. Inline assembly keeps the
 * compiler from reading a word once for all lanes. */
static __device__ inline unsigned read_shared(const unsigned *place)
{
    unsigned word;
    asm volatile("ld.shared.u32 %0, [%1];"
                 : "=r"(word)
                 : "r"((unsigned)__cvta_generic_to_shared(place)));
    return word;
}

static __device__ inline uint4 read_shared(const uint4 *place)
{
    uint4 words;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "r"((unsigned)__cvta_generic_to_shared(place)));
    return words;
}

template <typename WORDS, unsigned LANES_APART>
static __global__ void conflicts_read(const WORDS *in, unsigned *out)
{
    enum { COUNT = CONFLICT_WORDS * sizeof(unsigned) / sizeof(WORDS) };
    __shared__ WORDS words[COUNT];
    const unsigned t = threadIdx.x, lane = t % 32;
    unsigned sum = 0;
    for (unsigned i = t; i < COUNT; i += CONFLICT_THREADS) words[i] = in[blockIdx.x * COUNT + i];
    __syncthreads();
    for (unsigned i = 0; i < COUNT; i++) {
        sum +=
            sum_of(read_shared(&words[(lane * LANES_APART + i) % COUNT])); /* the planted access */
    }
    out[blockIdx.x * CONFLICT_THREADS + t] = sum;
}

static void conflicts_plan(const struct work *work, struct launch *launch, const void *function)
{
    launch->function = function;
    launch->grid[0] = (unsigned)work->point.shape.dim[0];
    launch->block[0] = CONFLICT_THREADS;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
}

/* A rung; its name describes its reads. */
#define CONFLICTS_VARIANT(TITLE, ...)                                                              \
    VARIANT_DEFINITION = {                                                                         \
        VARIANT_IDENTITY,                                                                          \
        .title = TITLE,                                                                            \
        .suffers = "A test needs known conflicts.",                                                \
        .changes = "The lanes of a warp read at a planted distance.",                              \
        .pays = "It costs the planted conflicts.",                                                 \
        .plan = plan_by<conflicts_plan, conflicts_read<__VA_ARGS__>>,                              \
    };

#endif
#endif
