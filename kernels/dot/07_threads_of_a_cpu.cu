/*
 * Rung 7: a contiguous slice for each of as many threads as a CPU has.
 *
 * Rung 1 divides the vectors among as many threads as the GPU holds. A program that was written for
 * a CPU starts as many threads as the CPU runs at once: 32 on the computer of the article, 256 on a
 * large server. Each thread has a contiguous slice, as there. Slices are longer, so a thread adds
 * 4096 products at a time: 2^20 products in a row are wrong by 1.5e-4 of their sum.
 *
 * Remaining cost: a few warps keep a few loads in flight, and most SMs are idle.
 */
#include "dot.h"

/* So few threads take seconds for the largest size. */
enum { LARGE = 1 << 22, ENOUGH_FOR_LARGE = 256, IN_A_ROW = 4096 };

static __global__ void dot_threads_of_a_cpu(const float *a, const float *b, uint64_t n, float *out)
{
    const unsigned threads = gridDim.x * SUM_WARP, thread = blockIdx.x * SUM_WARP + threadIdx.x;
    const uint64_t length = (n + threads - 1) / threads, start = thread * length;
    const uint64_t end = start + length < n ? start + length : n;
    float sum = 0;
    for (uint64_t first = start; first < end; first += IN_A_ROW) {
        const uint64_t last = first + IN_A_ROW < end ? first + IN_A_ROW : end;
        float part = 0;
        for (uint64_t i = first; i < last; i++) part = fmaf(a[i], b[i], part);
        sum += part;
    }
    sum = sum_warp<SUM_XOR>(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

static const char *refuses(const struct point *point, int)
{
    return point->sweep < ENOUGH_FOR_LARGE && point->shape.dim[0] > LARGE
               ? "above 2^22 elements, fewer than 256 threads take seconds"
               : NULL;
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    dot_plan(work, launch, (const void *)dot_threads_of_a_cpu);
    launch->grid[0] = (unsigned)work->point.sweep / SUM_WARP;
    launch->block[0] = SUM_WARP;
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "As many threads as a CPU",
    .after = "01_slice_per_thread",
    .suffers = "The elements of two vectors must be divided among the threads.",
    .changes = "There are only as many threads as a CPU runs at once; each has a contiguous slice.",
    .pays = "A few warps keep a few loads in flight, and most SMs are idle.",
    .full_only = 1,
    .sweep_name = "CPU threads",
    .sweep_text = "threads of the grid, as many as a CPU runs at once",
    .sweep_values = {32, 64, 128, 256},
    .claims =
        {
            {"Code written in the usual way uses 1 % of the GPU (here: slices for 32 threads, as "
             "many as the article's CPU has, reach at most 1 % of the memory's peak).",
             "Skarupke, CUDA performance surprises", "Conclusion", "4194304",
             "effective_gbs <= 0.01 * dram_peak_gbs", 32},
            {"Code written in the usual way uses 1 % of the GPU (here: slices for 256 threads, as "
             "many as a large server has, reach at most 1 % of the memory's peak).",
             "Skarupke, CUDA performance surprises", "Conclusion", NULL,
             "effective_gbs <= 0.01 * dram_peak_gbs", 256},
        },
    .refuses = refuses,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
