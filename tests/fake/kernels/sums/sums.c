/*
 * Sums words on the CPU for the rungs of the fake ladder, and states what that costs.
 */
#include <stdlib.h>
#include <string.h>

#include "sums.h"

void sums_run(const struct fake_launch *launch)
{
    const uint32_t *from = (const uint32_t *)(uintptr_t)launch->argument[SUMS_FROM];
    uint32_t *to = (uint32_t *)(uintptr_t)launch->argument[SUMS_TO];
    const uint64_t words = launch->argument[SUMS_WORDS], blocks = launch->grid[0];
    for (uint64_t block = 0; block < blocks; block++) {
        uint32_t sum = 0;
        for (uint64_t i = words * block / blocks; i < words * (block + 1) / blocks; i++)
            sum += from[i];
        to[block] = sum;
    }
}

static double warps_of(unsigned blocks)
{
    return (double)blocks * SUMS_THREADS / 32;
}

void sums_cost(const struct fake_launch *launch, struct fake_cost *cost, double ways,
               double ancillary)
{
    const double words = (double)launch->argument[SUMS_WORDS], warps = warps_of(launch->grid[0]);
    cost->warps = warps;
    cost->global_loads = words / 32;
    cost->global_load_bytes = 4 * words;
    cost->global_stores = launch->grid[0];
    cost->global_store_bytes = 4 * cost->global_stores;
    cost->shared_loads = SUMS_ROUNDS * warps;
    cost->shared_stores = warps;
    cost->shared_load_wavefronts = ways * cost->shared_loads;
    cost->shared_store_wavefronts = cost->shared_stores;
    cost->branches = SUMS_ROUNDS * warps;
    cost->divergent_branches = warps;
    cost->additions = words;
    cost->instructions = (2 + ancillary) * words / 32 + (2 * SUMS_ROUNDS + 4) * warps;
    cost->dram_read_bytes = cost->global_load_bytes;
    cost->dram_written_bytes = cost->global_store_bytes;
}

unsigned sums_launches(const struct point *point)
{
    return 2;
}

void sums_plan(const struct work *work, unsigned index, struct launch *launch, const void *function)
{
    launch->function = function;
    launch->grid[0] = index == 0 ? SUMS_BLOCKS : 1;
    launch->block[0] = SUMS_THREADS;
    launch_pointer(launch, index == 0 ? work->input[0] : work->scratch);
    launch_pointer(launch, index == 0 ? work->scratch : work->output);
    launch_integer(launch, index == 0 ? work->point.shape.dim[0] : SUMS_BLOCKS);
    launch_integer(launch, (uint64_t)work->point.sweep);
}

int sums_accesses(unsigned index, int ways, struct shared_access *list)
{
    const double warps = warps_of(index == 0 ? SUMS_BLOCKS : 1);
    list[0] = (struct shared_access){.name = "reads of the partial sums",
                                     .kind = ACCESS_LOAD,
                                     .width = 4,
                                     .executions = SUMS_ROUNDS * warps};
    list[1] = (struct shared_access){.name = "writes of the partial sums",
                                     .kind = ACCESS_STORE,
                                     .width = 4,
                                     .executions = warps};
    for (int lane = 0; lane < 32; lane++) {
        list[0].address[lane] = 4 * lane * ways;
        list[1].address[lane] = 4 * lane;
    }
    return 2;
}

/* Replaces the kernel in CUDA C. */
static void cost_machine_code(const struct fake_launch *launch, struct fake_cost *cost)
{
    sums_cost(launch, cost, 1, 6);
}

static struct fake_kernel machine_code = {.symbol = "",
                                          .emulates = "sum_machine_code",
                                          .arguments = "8888",
                                          .run = sums_run,
                                          .cost = cost_machine_code,
                                          .static_shared = 1024};
SUMS_KERNEL(machine_code)
