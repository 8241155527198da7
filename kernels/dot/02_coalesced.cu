/*
 * Rung 2: neighbouring threads take neighbouring elements.
 *
 * The loop starts at the thread's index and advances by the number of threads. The lanes of a warp
 * then load 32 neighbouring words: 128 bytes in four sectors, all used at once. Nothing else
 * changes.
 *
 * Remaining cost: loads of 4 bytes.
 */
#include "dot.h"

static __global__ void __launch_bounds__(DOT_BLOCK, DOT_BLOCKS_PER_SM)
    dot_coalesced(const float *a, const float *b, uint64_t n, float *out)
{
    float sum = 0;
    for (uint64_t i = dot_thread(); i < n; i += dot_threads()) sum = fmaf(a[i], b[i], sum);
    dot_add_block(sum, out);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Neighbouring threads, neighbouring elements",
    .after = "01_slice_per_thread",
    .suffers = "Each load of a warp touches 32 sectors and uses 4 bytes of each.",
    .changes = "Thread t takes elements t, t + threads, t + 2 threads and so on: the loads of a "
               "warp are coalesced.",
    .pays = "Each load instruction moves only four bytes per thread.",
    .claims =
        {
            {"Coalescing makes the kernel faster.", "Skarupke, CUDA performance surprises",
             "Memory coalescing", NULL, "faster = 1"},
            {"The coalesced kernel is three times as fast (2.5 to 3.5 times counts as three).",
             "Skarupke, CUDA performance surprises", "Memory coalescing", NULL,
             "speedup_prev > 2.5 AND speedup_prev < 3.5"},
            {"Neighbouring threads load neighbouring bytes: each load touches four sectors, with "
             "none in excess.",
             "Skarupke, CUDA performance surprises", "Memory coalescing", NULL,
             "sectors_per_request = 4 AND global_excess_sectors = 0"},
        },
    .plan = plan_by<dot_plan, dot_coalesced>,
    .excess_wavefronts = no_excess_wavefronts,
};
