/*
 * Rung 1: every thread has a contiguous slice.
 *
 * This is how a CPU program divides the work: each of T threads gets n / T contiguous elements and
 * works through them from front to back, which suits the caches of a CPU. On a GPU the 32 lanes of
 * a warp load at the same time, from 32 addresses a slice apart: each load of a warp touches 32
 * sectors of 32 bytes and uses 4 bytes of each.
 *
 * Remaining cost: the rest of a sector is used only if it is still in the L1 cache when the thread
 * gets to it.
 */
#include "dot.h"

static __global__ void __launch_bounds__(DOT_BLOCK, DOT_BLOCKS_PER_SM)
    dot_slice_per_thread(const float *a, const float *b, uint64_t n, float *out)
{
    const uint64_t length = (n + dot_threads() - 1) / dot_threads(), start = dot_thread() * length;
    const uint64_t end = start + length < n ? start + length : n;
    float sum = 0;
    for (uint64_t i = start; i < end; i++) sum = fmaf(a[i], b[i], sum);
    dot_add_block(sum, out);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "A contiguous slice per thread",
    .suffers = "The elements of two vectors must be divided among the threads.",
    .changes = "Each thread takes n / threads contiguous elements, as on a CPU.",
    .pays = "The lanes of a warp load from 32 places at once: each load touches 32 sectors and "
            "uses 4 bytes of each.",
    .claims =
        {
            {"With a slice for each thread the threads do not load memory together: each load of a "
             "warp touches many sectors (here: more than 16).",
             "Skarupke, CUDA performance surprises", "Memory coalescing", "268435456",
             "sectors_per_request > 16"},
        },
    .plan = plan_by<dot_plan, dot_slice_per_thread>,
    .excess_wavefronts = no_excess_wavefronts,
};
