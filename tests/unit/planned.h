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

#endif
