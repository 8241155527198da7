/*
 * Without lanes that are switched off: all words of a warp are of one kind and have work in the
 * same round.
 */
#include "predication.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All lanes of a warp have work together",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Words of either kind have a round of their own; a warp has words of one kind and "
               "skips the other round.",
    .pays = "Each word takes 128 dependent steps.",
    .refuses = causes_refuse,
    .plan = plan_by<predication_plan, 6>,
};
