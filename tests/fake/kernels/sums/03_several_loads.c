/*
 * Sums with several loads per thread: a setting that is swept. Its memory exceeds a function's
 * default limit, and is cleared before the launch.
 */
#include "sums.h"

enum { RESIDENT = 8 };

static void cost(const struct fake_launch *launch, struct fake_cost *cost_of)
{
    sums_cost(launch, cost_of, 1,
              16.0 / (double)(launch->argument[SUMS_SETTING] ? launch->argument[SUMS_SETTING] : 1));
}

static struct fake_kernel kernel = {.symbol = "_Z17sum_several_loadsPKjPjmi",
                                    .arguments = "8888",
                                    .run = sums_run,
                                    .cost = cost,
                                    .registers = 48};
SUMS_KERNEL(kernel)

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    sums_plan(work, index, launch, &kernel);
    launch->dynamic_shared = 64 << 10;
    launch->cooperative = 1;
    if (index == 0) launch->grid[0] = RESIDENT; /* the other words of scratch stay clear */
    launch->clear_output = index == 0;
    launch->clear_scratch = index == 0 ? SUMS_BLOCKS * sizeof(uint32_t) : 0;
}

static const char *choice(const struct work *work)
{
    return work->point.shape.dim[0] > 16384 ? "all blocks" : "few blocks";
}

const struct variant VARIANT = {
    VARIANT_IDENTITY,
    .title = "Several loads a thread",
    .after = "02_no_conflicts",
    .suffers = "There are instructions beside the sums.",
    .changes = "A thread loads several words before it adds them.",
    .pays = "Registers.",
    .sweep_name = "loads",
    .sweep_text = "words that a thread loads at once",
    .sweep_values = {1, 4, 0},
    .launch_count = sums_launches,
    .plan = plan,
    .choice = choice,
};
