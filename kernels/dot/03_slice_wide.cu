/*
 * Rung 3: slices again, with loads of 16 bytes.
 *
 * A wide load takes half a sector at once, so the slices of rung 1 waste less: a load of a warp
 * still touches 32 sectors but uses 16 bytes of each at once.
 *
 * Remaining cost: the other half of each sector waits in the cache.
 */
#include "dot.h"

static __global__ void __launch_bounds__(DOT_BLOCK, DOT_BLOCKS_PER_SM)
    dot_slice_wide(const float *a, const float *b, uint64_t n, float *out)
{
    const uint64_t vectors = n / 4, length = (vectors + dot_threads() - 1) / dot_threads(),
                   start = dot_thread() * length;
    const uint64_t end = start + length < vectors ? start + length : vectors;
    const float4 *a4 = reinterpret_cast<const float4 *>(a),
                 *b4 = reinterpret_cast<const float4 *>(b);
    float sum = 0;
#pragma unroll 2
    for (uint64_t i = start; i < end; i++) {
        const float4 x = a4[i], y = b4[i];
        sum = fmaf(x.w, y.w, fmaf(x.z, y.z, fmaf(x.y, y.y, fmaf(x.x, y.x, sum))));
    }
    if (dot_thread() < n % 4) sum = fmaf(a[n - 1 - dot_thread()], b[n - 1 - dot_thread()], sum);
    dot_add_block(sum, out);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Slices, wide loads",
    .after = "01_slice_per_thread",
    .suffers = "Each load of a warp touches 32 sectors and uses 4 bytes of each.",
    .changes = "The slices stay the same; each load takes 16 bytes.",
    .pays = "Half of each sector waits in the cache for the next load.",
    .claims =
        {
            {"Wide loads recover part of the cost of slices.", "whyfast", "Comparison with rung 1",
             NULL, "faster = 1"},
            {"Each load uses four times as many bytes of each sector (here: more than 3.5 times).",
             "whyfast", "Comparison with rung 1", "268435456",
             "global_sector_use_pct > 3.5 * prev_global_sector_use_pct"},
        },
    .plan = plan_by<dot_plan, dot_slice_wide>,
    .excess_wavefronts = no_excess_wavefronts,
};
