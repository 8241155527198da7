/*
 * Finds rungs and plans their launches, for tests of kernels.
 */
#ifndef TESTS_UNIT_PLANNED_H
#define TESTS_UNIT_PLANNED_H

#include "fixture.h"

#include "catalog/registry.h"

static inline const struct variant *rung_of(const char *family, const char *name)
{
    const struct variant *rung = registry_variant(family, name);
    if (!rung) fail_msg("there is no %s/%s", family, name);
    return rung;
}

/* A launch before it is planned, as the harness gives it to variant.plan. */
static inline struct launch planned(const struct variant *rung, const struct work *work,
                                    unsigned index)
{
    struct launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    rung->plan(work, index, &launch);
    return launch;
}

/* Addresses of buffers that nobody touches. */
#define INPUT_A ((char *)0x100000000000)
#define INPUT_B ((char *)0x200000000000)
#define OUTPUT ((char *)0x300000000000)
#define WORKSPACE ((char *)0x400000000000)

/* A matrix product of these sides on a device of compute capability 9.0. */
static inline struct work product_on(int sm_count, uint64_t m, uint64_t n, uint64_t k)
{
    return (struct work){.point = {.shape = {3, {m, n, k}}, .block = 256},
                         .sm_count = sm_count,
                         .compute_capability = 90,
                         .input = {INPUT_A, INPUT_B},
                         .output = OUTPUT,
                         .scratch = WORKSPACE};
}

#endif
