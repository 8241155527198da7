/*
 * Sums words by blocks, for the rungs of the fake ladder: a kernel in C is a struct fake_kernel,
 * registered before main. The cost of a rung is stated beside it. Nothing is owned.
 */
#ifndef SUMS_H
#define SUMS_H

#include "fake.h"
#include "catalog/variant.h"

enum {
    SUMS_THREADS = 256,
    SUMS_BLOCKS = 32,
    SUMS_ROUNDS = 8 /* in a block's reduction in shared memory */
};

/* Arguments of every kernel here: from, to, words, and the setting. */
enum { SUMS_FROM, SUMS_TO, SUMS_WORDS, SUMS_SETTING };

/* Block i adds up the i-th share of the words, into word i. */
void sums_run(const struct fake_launch *launch);

/* The cost of loading and summing the words: SUMS_ROUNDS of loads and a store per warp in shared
 * memory, each in `ways` wavefronts; `ancillary` other instructions per word. */
void sums_cost(const struct fake_launch *launch, struct fake_cost *cost, double ways,
               double ancillary);

/* One of two launches: blocks into scratch, or scratch into the output. */
void sums_plan(const struct work *work, unsigned index, struct launch *launch,
               const void *function);
unsigned sums_launches(const struct point *point);

/* The accesses to shared memory, with `ways` lanes to a bank. */
int sums_accesses(unsigned index, int ways, struct shared_access *list);

#define SUMS_KERNEL(name)                                                                          \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        fake_kernel_add(&name);                                                                    \
    }

/* Defines the kernel of a rung, and its plan: its symbol, what it does, what sums_cost wants, and
 * further fields of struct fake_kernel. */
#define SUMS_RUNG(SYMBOL, RUN, WAYS, ANCILLARY, ...)                                               \
    static void cost(const struct fake_launch *launch, struct fake_cost *cost_of)                  \
    {                                                                                              \
        sums_cost(launch, cost_of, WAYS, ANCILLARY);                                               \
    }                                                                                              \
    static struct fake_kernel kernel = {                                                           \
        .symbol = SYMBOL, .arguments = "8888", .run = RUN, .cost = cost, __VA_ARGS__};             \
    SUMS_KERNEL(kernel)                                                                            \
    static void plan(const struct work *work, unsigned index, struct launch *launch)               \
    {                                                                                              \
        sums_plan(work, index, launch, &kernel);                                                   \
    }

#endif
