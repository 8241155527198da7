/*
 * Sums with one lane to a bank, and fewer instructions.
 */
#include "sums.h"

static void cost(const struct fake_launch *launch, struct fake_cost *cost_of)
{
    sums_cost(launch, cost_of, 1, 20);
}

static struct fake_kernel kernel = {.symbol = "_Z16sum_no_conflictsPKjPjmi",
                                    .arguments = "8888",
                                    .run = sums_run,
                                    .cost = cost,
                                    .registers = 32,
                                    .static_shared = 1024};
SUMS_KERNEL(kernel)

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    sums_plan(work, index, launch, &kernel);
}

static int accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    (void)work;
    return sums_accesses(index, 1, list);
}

const struct variant VARIANT = {
    VARIANT_IDENTITY,
    .title = "No bank conflicts",
    .after = "01_conflicts",
    .suffers = "Four lanes want the same bank.",
    .changes = "Neighbouring lanes read neighbouring words.",
    .pays = "There are instructions beside the sums.",
    .claims = {{"Without bank conflicts it is faster", "a test", "here", NULL,
                "time_ns < prev_time_ns", 0}},
    .published = {{"a test", "no device", 100, "16384", 0, 0, 4000, 16.4}},
    .launch_count = sums_launches,
    .plan = plan,
    .shared_accesses = accesses,
};
