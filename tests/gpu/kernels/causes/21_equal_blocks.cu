/*
 * Blocks of equal work: each SM has one block, and all have equally many tiles.
 */
#include "unequal_blocks.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Equal blocks",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Two blocks share their tiles in halves.",
    .pays = "Each word takes 128 dependent steps.",
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<pairs_plan, 2>,
};
