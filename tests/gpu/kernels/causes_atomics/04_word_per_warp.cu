/*
 * Atomic additions in global memory without contention: each warp adds to a word in a sector of its
 * own.
 */
#include "atomics_global.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    atomics_global_plan(work, index, ATOMICS_SECTOR, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Global memory: a word for each warp",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes =
        "A warp sums the numbers of 32 words and adds the sum to a word that no other warp uses.",
    .pays = "A second launch adds up the words.",
    .refuses = atomics_refuse,
    .launch_count = atomics_global_launches,
    .plan = plan,
};
