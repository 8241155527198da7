/*
 * At full occupancy: four blocks of 512 threads on an SM.
 */
#include "residency.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    residency_plan(work, 0, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Four blocks per SM",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Each thread reads 16 words, one after the other.",
    .pays = "Each thread has one read in flight.",
    .refuses = causes_refuse_small_shared,
    .launch_count = launch_once,
    .plan = plan,
};
