/*
 * Stands for a vendor's library: two kernels of its own in one call, which fails like any call of
 * the fake: FAKE_FAIL=fake_library:N.
 */
#include "sums.h"

static void cost(const struct fake_launch *launch, struct fake_cost *cost_of)
{
    sums_cost(launch, cost_of, 1, 1);
}

static struct fake_kernel blocks = {.symbol = "library_blocks",
                                    .arguments = "8888",
                                    .run = sums_run,
                                    .cost = cost,
                                    .registers = 64,
                                    .static_shared = 512};
static struct fake_kernel rest = {
    .symbol = "library_rest", .arguments = "8888", .run = sums_run, .cost = cost, .registers = 16};
SUMS_KERNEL(blocks)
SUMS_KERNEL(rest)

static int call(const struct work *work, void *stream)
{
    const unsigned all[3] = {SUMS_BLOCKS, 1, 1}, one[3] = {1, 1, 1},
                   threads[3] = {SUMS_THREADS, 1, 1};
    const uint64_t scratch = (uint64_t)(uintptr_t)work->scratch;
    const uint64_t first[] = {(uint64_t)(uintptr_t)work->input[0], scratch,
                              work->point.shape.dim[0], 0};
    const uint64_t second[] = {scratch, (uint64_t)(uintptr_t)work->output, SUMS_BLOCKS, 0};
    int status = fake_call("fake_library");
    if (!status) status = fake_launch(&blocks, all, threads, first, 4, stream);
    return status ? status : fake_launch(&rest, one, threads, second, 4, stream);
}

const struct variant VARIANT = {
    VARIANT_IDENTITY,
    .title = "A library",
    .changes = "A call, whatever it launches.",
    .call = call,
};
