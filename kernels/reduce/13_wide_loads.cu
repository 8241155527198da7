/*
 * Rung 13: loads of 16 bytes, several in flight.
 *
 * Rung 12 loads four bytes per instruction. Here a thread loads 16 bytes at a time and issues one
 * to four such loads before it adds the first; the grid is one wave of blocks that strides over the
 * input. The bandwidth depends on the number of bytes in flight from memory to an SM: by Little's
 * law, latency times bandwidth. That number is the setting, made of resident blocks and loads per
 * thread.
 *
 * Remaining cost: registers for the data in flight, and still one instruction per 16 bytes and
 * thread.
 */
#include "sum.h"

#include "reduce.h"

/* Limits the registers so that the largest wave, 48 warps per SM, can be resident. */
template <unsigned BLOCK, unsigned VECTORS>
static __global__ void __launch_bounds__(BLOCK, 48 * SUM_WARP / BLOCK)
    reduce_wide_loads(const unsigned *in, unsigned *out, uint64_t n, unsigned *partial)
{
    const unsigned sum = sum_block<SUM_REDUX, BLOCK>(sum_of_thread_wide<BLOCK, VECTORS>(in, n));
    sum_by_last_block<SUM_REDUX, BLOCK>(sum, partial, out);
}

/* For every setting: vectors per thread, and warps per SM. The setting is their product times 512
 * bytes. */
static const struct {
    int kib;
    unsigned vectors, warps;
} settings[] = {{4, 1, 8}, {8, 1, 16}, {16, 1, 32}, {32, 2, 32}, {64, 4, 32}, {96, 4, 48}};

template <unsigned BLOCK> static const void *kernel_of(unsigned vectors)
{
    return vectors == 1   ? (const void *)reduce_wide_loads<BLOCK, 1>
           : vectors == 2 ? (const void *)reduce_wide_loads<BLOCK, 2>
                          : (const void *)reduce_wide_loads<BLOCK, 4>;
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const struct point *point = &work->point;
    unsigned s = 0;
    while (settings[s].kib != point->sweep) s++;
    const unsigned block = (unsigned)point->block, vectors = settings[s].vectors;
    const void *function = block == 128 ? kernel_of<128>(vectors) : kernel_of<256>(vectors);
    const unsigned blocks = sum_grid(point->shape.dim[0], 4 * (uint64_t)block * vectors,
                                     work->sm_count, (int)(settings[s].warps * SUM_WARP / block));
    reduce_plan_once(work, launch, function, blocks, block);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Wide loads",
    .after = "12_warp_reduction",
    .suffers = "Each load instruction moves four bytes per thread.",
    .changes = "Each thread issues several independent loads of 16 bytes before the first "
               "addition; one wave of blocks strides over the input.",
    .pays = "The data in flight occupy registers.",
    .sweep_name = "KiB in flight",
    .sweep_text = "KiB that the resident threads of an SM request before they need the first",
    .sweep_values = {4, 8, 16, 32, 64, 96},
    .claims =
        {
            {"Wide loads need fewer instructions for the same bytes (here: fewer than 0.3 times as "
             "many loads).",
             "NVIDIA technical blog, Increase Performance with Vectorized Memory Access",
             "Vectorized loads", NULL,
             "global_load_instructions < 0.3 * prev_global_load_instructions"},
            {"16 KiB in flight per SM are too few for 4.8 TB/s (here: another setting is faster, "
             "beyond the noise floor).",
             "Little's law", "L = lambda W", "536870912", "behind_best", 16, 0, "H200"},
            {"64 KiB in flight per SM are enough (here: within 2 % of the best setting).",
             "Little's law", "L = lambda W", "536870912", "behind_best_pct < 2", 64},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
