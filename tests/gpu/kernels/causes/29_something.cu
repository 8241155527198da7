/*
 * The kernel of rung 1, for a comparison of equal rungs.
 */
#include "bank_conflicts.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "The kernel of rung 1",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "It is the kernel of rung 1 with the same arguments.",
    .pays = "Each jump needs a store and a load.",
    .refuses = causes_refuse,
    .plan = plan_by<conflicts_plan, 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
