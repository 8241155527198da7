/*
 * Refuses all sizes except the smallest.
 */
#include "sums.h"

SUMS_RUNG("sum_small", sums_run, 1, 4, .registers = 24)

static const char *refuses(const struct point *point, int compute_capability)
{
    return point->shape.dim[0] > 16384 ? "more than 16384 words are too many for it" : NULL;
}

const struct variant VARIANT = {
    VARIANT_IDENTITY,
    .title = "For few words",
    .after = "04_cluster",
    .suffers = "Nothing that would be known here.",
    .changes = "It takes few words only.",
    .pays = "Most sizes.",
    .refuses = refuses,
    .launch_count = sums_launches,
    .plan = plan,
};
