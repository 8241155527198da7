/*
 * Sums in one launch of a cluster with a tensor map. Words of FAKE_STATE make its result wrong:
 * wrong_result, always; wrong_later, from the sixth launch on; writes_outside, behind its output.
 */
#include <string.h>

#include "sums.h"

static void run(const struct fake_launch *launch)
{
    static int launches;
    struct fake_launch plain = *launch;
    uint32_t *to = (uint32_t *)(uintptr_t)launch->argument[1 + SUMS_TO];
    memmove(plain.argument, launch->argument + 1, 4 * sizeof *plain.argument); /* without the map */
    plain.grid[0] = 1;
    sums_run(&plain);
    launches++;
    if (fake_state("wrong_result") || (fake_state("wrong_later") && launches > 5)) (*to)++;
    if (fake_state("writes_outside")) to[1]++;
}

static void cost(const struct fake_launch *launch, struct fake_cost *cost_of)
{
    struct fake_launch plain = *launch;
    memmove(plain.argument, launch->argument + 1, 4 * sizeof *plain.argument);
    sums_cost(&plain, cost_of, 1, 2);
}

static struct fake_kernel kernel = {.symbol = "_Z11sum_cluster11CUtensorMapPKjPjmi",
                                    .arguments = "88888",
                                    .run = run,
                                    .cost = cost,
                                    .registers = 56,
                                    .static_shared = 1024};
SUMS_KERNEL(kernel)

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    launch->function = &kernel;
    launch->grid[0] = launch->cluster = 8;
    launch->block[0] = SUMS_THREADS;
    launch->tensor_map_count = 1;
    launch->tensor_map[0] = (struct tensor_map){.base = work->input[0],
                                                .rows = 64,
                                                .columns = 64,
                                                .pitch = 256,
                                                .box_rows = 32,
                                                .box_columns = 32};
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, work->point.shape.dim[0]);
    launch_integer(launch, 0);
}

const struct variant VARIANT = {
    VARIANT_IDENTITY,
    .title = "A cluster of blocks",
    .after = "03_several_loads",
    .suffers = "Registers.",
    .changes = "One launch of a cluster copies by a tensor map.",
    .pays = "Nothing that would be known here.",
    .plan = plan,
};
