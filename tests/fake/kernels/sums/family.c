/*
 * Defines a family for tests without a GPU: the sum of some words, by kernels that the CPU runs.
 */
#include <stdlib.h>
#include <string.h>

#include "sums.h"

/* ---- shared by the rungs --------------------------------------------------------------------- */

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
    (void)point;
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

/* ---- the family ------------------------------------------------------------------------------ */

static size_t input_bytes(const struct shape *shape, int index)
{
    (void)index;
    return shape->dim[0] * sizeof(uint32_t);
}

static size_t output_bytes(const struct shape *shape)
{
    (void)shape;
    return sizeof(uint32_t);
}

static size_t scratch_bytes(const struct shape *shape)
{
    (void)shape;
    return SUMS_BLOCKS * sizeof(uint32_t);
}

static double useful_bytes(const struct shape *shape)
{
    return (double)input_bytes(shape, 0);
}

static double useful_operations(const struct shape *shape)
{
    return (double)shape->dim[0];
}

static void fill(const struct shape *shape, uint64_t seed, void *const *input)
{
    uint32_t *word = input[0], state = (uint32_t)seed | 1;
    for (uint64_t i = 0; i < shape->dim[0]; i++) {
        state = state * 1664525u + 1013904223u;
        word[i] = state >> 8;
    }
}

static void reference(const struct shape *shape, void *const *input, void *output)
{
    const uint32_t *word = input[0];
    uint32_t sum = 0;
    for (uint64_t i = 0; i < shape->dim[0]; i++) sum += word[i];
    memcpy(output, &sum, sizeof sum);
}

const struct family FAMILY = {
    .name = FAMILY_NAME,
    .title = "Sum of words, on no GPU",
    .problem = "The sum of some words. The kernels run on the CPU and their times are made up: "
               "nothing here is a measurement.",
    .rank = 1,
    .sizes = {"16384", "65536"},
    .input_count = 1,
    .comparison = COMPARE_INT32_EXACT,
    .rate = RATE_BYTES,
    .useful_bytes_text = "4 bytes for each word",
    .input_bytes = input_bytes,
    .output_bytes = output_bytes,
    .scratch_bytes = scratch_bytes,
    .useful_bytes = useful_bytes,
    .useful_operations = useful_operations,
    .fill = fill,
    .reference = reference,
};
