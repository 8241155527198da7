/*
 * Blocks of equal work: each SM has one block, and all have equally many tiles.
 */
#include "unequal_blocks.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    pairs_plan(work, 2, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Equal blocks",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Two blocks share their tiles in halves.",
    .pays = "Each word takes 128 dependent steps.",
    .refuses = causes_refuse_small_shared,
    .launch_count = launch_once,
    .plan = plan,
};
