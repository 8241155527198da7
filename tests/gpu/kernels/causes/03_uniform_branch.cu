/*
 * Without divergence: all words of a warp are of one kind and take one path.
 */
#include "divergence.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Each warp takes one path",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Words of either kind take a path of their own; a warp has words of one kind.",
    .pays = "Each word takes 128 dependent steps.",
    .refuses = causes_refuse,
    .plan = plan_by<divergence_plan, 6>,
};
