/*
 * Declares the kernels of the self-test. The effect of each on the device's counters follows from
 * its code; metrics/selftest.metric states it. They are families and variants like those under
 * kernels/, but belong to no ladder, and only the self-test selects them. All solve one problem,
 * the sum of n random words modulo 2^32, so that a kernel that did not do its work is detected.
 * Everything here is static constant data. Valid C11 and C++17.
 */
#ifndef WHYFAST_SELFTEST_KERNELS_H
#define WHYFAST_SELFTEST_KERNELS_H

#include "catalog/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The input of the first fits into any cache; that of the second is far larger than any. Both have
 * one input and scratch memory of the same size. */
extern const struct family selftest_family, selftest_memory_family;

/* NULL-terminated. Variants of one family are adjacent, each after the one that it is compared
 * with. To add one, add its definition to selftest_<unit>.cu, a row to selftest_kernels.c,
 * and its expectations to metrics/selftest.metric. */
extern const struct variant *const selftest_variants[];

#ifdef __CUDACC__

enum { SELFTEST_WARP = 32, SELFTEST_BLOCK = 256 };

/* Defines the variant family_name, called "number_name" in the tables, from its title and other
 * members; its plan is plan_name. */
#define SELFTEST_VARIANT(family, number, name, ...)                                                \
    extern const struct variant family##_##name;                                                   \
    const struct variant family##_##name = {#family, #number "_" #name, __FILE__,                  \
                                            .title = __VA_ARGS__, .plan = plan_##name}
#define SELFTEST_SWEEP(name, text, ...)                                                            \
    .sweep_name = name, .sweep_text = text, .sweep_values = {__VA_ARGS__}

/* Defines plan_name, which launches the kernel as `how` says. */
#define SELFTEST_PLAN(name, how, ...)                                                              \
    static void plan_##name(const struct work *work, unsigned, struct launch *launch)              \
    {                                                                                              \
        how(work, (const void *)__VA_ARGS__, launch);                                              \
    }

static __device__ __forceinline__ unsigned selftest_thread()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Adds the values of all threads to the result. */
static __device__ __forceinline__ void selftest_finish(unsigned *out, unsigned value)
{
    for (int distance = SELFTEST_WARP / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFu, value, distance);
    if (threadIdx.x % SELFTEST_WARP == 0) atomicAdd(out, value);
}

static __device__ __forceinline__ uint64_t selftest_now()
{
    uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

/* A launch whose first arguments are input and result. */
static inline void selftest_begin(const struct work *work, const void *function, unsigned blocks,
                                  unsigned block, struct launch *launch)
{
    launch->function = function;
    launch->grid[0] = blocks;
    launch->block[0] = block;
    launch->clear_output = 1;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
}

/* The same with a thread for each word of the input. */
static inline void selftest_launch(const struct work *work, const void *function, unsigned block,
                                   struct launch *launch)
{
    selftest_begin(work, function, (unsigned)(work->point.shape.dim[0] / block), block, launch);
}

#endif
#ifdef __cplusplus
}
#endif
#endif
