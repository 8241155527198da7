/*
 * Rung 5: bulk copies where the input is large.
 *
 * From 2^28 elements on, rung 4's wave of blocks loses almost one per cent to registers that wait
 * for bytes. Here two blocks per SM keep three tiles of 32 KiB each in flight to shared memory: 192
 * KiB per SM. Below that size, and before Hopper, rung 4's method is better and is used: filling
 * the tiles would take longer than they save. The last block to arrive sums the partial sums, in
 * the same order in every run.
 *
 * Remaining cost: every byte must be read once.
 */
#include "bulk.h"
#include "sum.h"

#include "reduce_float.h"

enum {
    BLOCK = 512,
    STAGES = 3,
    TILE_BYTES = 32768,
    BULK_PER_SM = 2,
    VECTORS = 4,
    WAVE_PER_SM = 4,
    SMALL = 256,
    SMALL_PER_SM = 8
};

static __global__ void __launch_bounds__(BLOCK)
    reduce_float_bulk(const float *in, float *out, uint64_t n, float *partial)
{
    const float sum =
        sum_block<SUM_XOR, BLOCK>(bulk_sum_of_thread<BLOCK, STAGES, TILE_BYTES>(in, n));
    sum_by_last_block<SUM_XOR, BLOCK>(sum, partial, out);
}

template <unsigned THREADS, unsigned LOADS>
static __global__ void __launch_bounds__(THREADS)
    reduce_float_loads(const float *in, float *out, uint64_t n, float *partial)
{
    const float sum = sum_block<SUM_XOR, THREADS>(sum_of_thread_wide<THREADS, LOADS>(in, n));
    sum_by_last_block<SUM_XOR, THREADS>(sum, partial, out);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0], large = UINT64_C(1) << 28,
                   tile = 4 * BLOCK * VECTORS;
    launch->block[0] = BLOCK;
    if (n >= large && work->compute_capability >= 90) {
        launch->function = (const void *)reduce_float_bulk;
        launch->grid[0] = sum_grid(n, TILE_BYTES / sizeof(float), work->sm_count, BULK_PER_SM);
        launch->dynamic_shared = STAGES * TILE_BYTES;
    } else if (n >= tile * (uint64_t)work->sm_count) {
        launch->function = (const void *)reduce_float_loads<BLOCK, VECTORS>;
        launch->grid[0] = sum_grid(n, tile, work->sm_count, WAVE_PER_SM);
    } else {
        launch->function = (const void *)reduce_float_loads<SMALL, 1>;
        launch->grid[0] = sum_grid(n, 4 * SMALL, work->sm_count, SMALL_PER_SM);
        launch->block[0] = SMALL;
    }
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, n);
    launch_pointer(launch, work->scratch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Bulk copies for large inputs",
    .after = "04_wide_loads",
    .suffers =
        "Every byte in flight has a register waiting for it, which slows down a large input.",
    .changes = "From 2^28 elements on the copy engine brings tiles of 32 KiB into shared memory, "
               "six of them in flight per SM.",
    .pays = "Every byte must be read once.",
    .claims =
        {
            {"The kernel is no slower than the library.", "whyfast", "Aim of the top rung", NULL,
             "NOT slower_than_library"},
            {"The kernel reaches at least 4600 GB/s of useful bytes at 2 GiB.", "whyfast",
             "Aim of the top rung", "536870912", "effective_gbs >= 4600", 0, 0, "H200"},
        },
    .plan = plan,
    /* No closed form: accesses of 4 and 16 bytes mix, so the measured excess is an upper bound. */
};
