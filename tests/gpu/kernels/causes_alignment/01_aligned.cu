/*
 * With aligned reads: the words of a warp fill 4 sectors.
 */
#include "alignment.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Aligned words",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes =
        "Each thread reads every word 64 times; the first word lies at the beginning of a sector.",
    .pays = "A read of a warp touches 4 sectors in the L2 cache.",
    .refuses = alignment_refuse,
    .plan = plan_by<alignment_plan, 0>,
};
