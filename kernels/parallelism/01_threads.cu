/*
 * One kernel, from one block to one thread per element.
 *
 * P threads stride over the input, each with one load in flight at a time, so each takes n / P
 * steps in sequence. A block then sums its threads and adds the sum to the result with one atomic.
 * The number of threads is the setting: one block leaves all SMs but one idle; with one thread per
 * element no sequential work is left, and only the tree, the launch of blocks and the atomics
 * remain.
 *
 * Remaining cost: this kernel is deliberately untuned.
 */
#include "sum.h"

enum { BLOCK = 256 };

static __global__ void parallelism_threads(const unsigned *in, unsigned *out, uint64_t n)
{
    const uint64_t threads = (uint64_t)gridDim.x * BLOCK;
    unsigned sum = 0;
#pragma unroll 1
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) sum += in[i];
    sum = sum_block<SUM_REDUX, BLOCK>(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    launch->function = (const void *)parallelism_threads;
    launch->grid[0] = (unsigned)work->point.sweep / BLOCK;
    launch->block[0] = BLOCK;
    launch->clear_output = 1;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, work->point.shape.dim[0]);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "P threads",
    .suffers = "n integers must be summed with P threads.",
    .changes = "P threads stride over the input with one load in flight each; blocks of 256 add "
               "their sums with one atomic each.",
    .pays = "With few threads most of the device idles. With very many, each block is launched for "
            "only a few elements.",
    .sweep_name = "threads",
    .sweep_text = "threads of the grid, P",
    .sweep_values = {256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288,
                     1048576, 2097152, 4194304, 8388608, 16777216},
    .claims =
        {
            {"Without enough parallel work the GPU is hardly used: one block keeps less than 1 % "
             "of it busy.",
             "Skarupke, CUDA performance surprises", "Parallelism first", NULL,
             "sm_coverage_pct < 1 AND dram_pct_peak < 1", 256},
            {"Brent: n / log2 n threads are enough; 2^20 of them are as fast as any other number.",
             "Liu, Reduction slides (after Harris)", "Brent's theorem", "16777216",
             "behind_best_low_pct <= max(floor_pct, best_floor_pct)", 1048576},
            {"Fewer threads with 1024 elements each (2^14 threads) are even better.",
             "Liu, Reduction slides (after Harris)", "Algorithm Cascading", "16777216",
             "behind_best_low_pct <= max(floor_pct, best_floor_pct)", 16384},
            {"One thread for each piece of work is best (the source means non-trivial work; here "
             "each piece is one addition).",
             "Skarupke, CUDA performance surprises", "Parallelism first", "16777216",
             "behind_best_low_pct <= max(floor_pct, best_floor_pct)", 16777216},
            {"One thread per element is not cost-efficient: it is slower than the best number of "
             "threads.",
             "Liu, Reduction slides (after Harris)", "What about Cost?", "16777216",
             "behind_best_low_pct > max(floor_pct, best_floor_pct)", 16777216},
        },
    .launch_count = launch_once,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
