/*
 * Rung 14: bulk asynchronous copies into shared memory.
 *
 * In rung 13 every byte in flight has a register waiting for it. Since Hopper one thread can
 * request kilobytes at a time from a copy engine: the data arrive in shared memory, and a barrier
 * there counts the bytes. The block keeps several tiles in flight while it sums the one that has
 * arrived, so bytes in flight cost shared memory, but no registers and no load instructions.
 *
 * Remaining cost: each byte also passes through shared memory, and every tile ends in a block
 * barrier.
 */
#include "bulk.h"
#include "sum.h"

#include "reduce.h"

enum { BLOCK = 256 };

template <unsigned STAGES, unsigned TILE_BYTES>
static __global__ void __launch_bounds__(BLOCK)
    reduce_bulk_copies(const unsigned *in, unsigned *out, uint64_t n, unsigned *partial)
{
    const unsigned sum = bulk_sum_of_thread<BLOCK, STAGES, TILE_BYTES>(in, n);
    sum_by_last_block<SUM_REDUX, BLOCK>(sum_block<SUM_REDUX, BLOCK>(sum), partial, out);
}

/* For every setting: tiles in flight per block and their size. Two blocks share an SM. */
static const struct {
    int kib;
    unsigned stages, tile_bytes;
    const void *function;
} settings[] = {
    {16, 2, 4096, (const void *)reduce_bulk_copies<2, 4096>},
    {32, 4, 4096, (const void *)reduce_bulk_copies<4, 4096>},
    {64, 4, 8192, (const void *)reduce_bulk_copies<4, 8192>},
    {128, 4, 16384, (const void *)reduce_bulk_copies<4, 16384>},
    {192, 6, 16384, (const void *)reduce_bulk_copies<6, 16384>},
};

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const struct point *point = &work->point;
    unsigned s = 0;
    while (settings[s].kib != point->sweep) s++;
    const unsigned blocks =
        sum_grid(point->shape.dim[0], settings[s].tile_bytes / sizeof(unsigned), work->sm_count, 2);
    reduce_plan_once(work, launch, settings[s].function, blocks, BLOCK);
    launch->dynamic_shared = (size_t)settings[s].stages * settings[s].tile_bytes;
}

static const char *refuses(const struct point *, int compute_capability)
{
    return compute_capability < 90 ? "bulk asynchronous copies need compute capability 9.0" : NULL;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Bulk asynchronous copies",
    .after = "13_wide_loads",
    .suffers = "Every byte in flight has a register waiting for it.",
    .changes = "One thread requests whole tiles from the copy engine; they arrive in shared memory "
               "while the block sums earlier ones. Blocks have 256 threads.",
    .pays = "Each byte also passes through shared memory, and each tile ends in a barrier.",
    .sweep_name = "KiB in flight",
    .sweep_text = "KiB that the blocks of an SM have in flight to shared memory",
    .sweep_values = {16, 32, 64, 128, 192},
    .claims =
        {
            {"Bulk copies relieve the threads of loading (here: fewer than 1 % of the load "
             "instructions are left).",
             "CUDA C++ Programming Guide",
             "Asynchronous Data Copies using the Tensor Memory Accelerator", "536870912",
             "global_load_instructions < 0.01 * prev_global_load_instructions"},
            {"Fewer instructions are issued in total.", "whyfast", "Comparison with rung 13",
             "536870912", "warp_instructions < prev_warp_instructions"},
        },
    .refuses = refuses,
    .plan = plan,
    /* No closed form: accesses of 4 and 16 bytes mix, so the measured excess is an upper bound. */
};
