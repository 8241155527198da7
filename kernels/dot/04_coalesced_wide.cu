/*
 * Rung 4: coalesced, with loads of 16 bytes.
 *
 * Neighbouring threads take neighbouring groups of four elements: a load of a warp covers 512 bytes
 * in 16 sectors, all used.
 *
 * Remaining cost: every byte must be read once.
 */
#include "dot.h"

static __global__ void __launch_bounds__(DOT_BLOCK, DOT_BLOCKS_PER_SM)
    dot_coalesced_wide(const float *a, const float *b, uint64_t n, float *out)
{
    dot_add_block(dot_of_thread_wide(a, b, n), out);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Coalesced, wide loads",
    .after = "02_coalesced",
    .suffers = "Loads of four bytes take four times as many instructions for the same bytes.",
    .changes =
        "Each thread loads 16 neighbouring bytes; neighbouring threads take neighbouring groups.",
    .pays = "Every byte must be read once.",
    .claims =
        {
            {"Wide loads need a quarter of the load instructions (here: 0.24 to 0.26 of them).",
             "NVIDIA technical blog, Increase Performance with Vectorized Memory Access",
             "Vectorized loads", NULL,
             "abs(global_load_instructions / prev_global_load_instructions - 0.25) < 0.01"},
            {"Wide loads use more of the memory's bandwidth (here: at least 2 % more).",
             "NVIDIA technical blog, Increase Performance with Vectorized Memory Access",
             "Vectorized loads", "268435456", "dram_gbs >= 1.02 * prev_dram_gbs"},
        },
    .plan = plan_by<dot_plan, dot_coalesced_wide>,
    .excess_wavefronts = no_excess_wavefronts,
};
