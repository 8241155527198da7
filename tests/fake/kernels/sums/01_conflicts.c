/*
 * Sums with four lanes to a bank, and many instructions besides the sums.
 */
#include "sums.h"

enum { WAYS = 4 };

static void cost(const struct fake_launch *launch, struct fake_cost *cost_of)
{
    sums_cost(launch, cost_of, WAYS, 40);
}

static struct fake_kernel kernel = {.symbol = "_Z13sum_conflictsPKjPjmi",
                                    .arguments = "8888",
                                    .run = sums_run,
                                    .cost = cost,
                                    .registers = 40,
                                    .static_shared = 4096};
SUMS_KERNEL(kernel)

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    sums_plan(work, index, launch, &kernel);
}

static int accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    (void)work;
    return sums_accesses(index, WAYS, list);
}

const struct variant VARIANT = {
    VARIANT_IDENTITY,
    .title = "Bank conflicts",
    .suffers = "A sum needs each word once.",
    .changes = "Blocks add up their share in shared memory.",
    .pays = "Four lanes want the same bank.",
    .launch_count = sums_launches,
    .plan = plan,
    .shared_accesses = accesses,
};
