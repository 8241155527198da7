/*
 * Refuses all sizes except the smallest.
 */
#include "sums.h"

static void cost(const struct fake_launch *launch, struct fake_cost *cost_of)
{
    sums_cost(launch, cost_of, 1, 4);
}

static struct fake_kernel kernel = {
    .symbol = "sum_small", .arguments = "8888", .run = sums_run, .cost = cost, .registers = 24};
SUMS_KERNEL(kernel)

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    sums_plan(work, index, launch, &kernel);
}

static const char *refuses(const struct point *point, int compute_capability)
{
    (void)compute_capability;
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
