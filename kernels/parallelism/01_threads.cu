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

static void plan(const struct work *work, unsigned, struct launch *launch)
{
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
    .suffers = "It is not obvious how many threads a sum needs.",
    .changes = "P threads stride over the input with one load in flight each; blocks of 256 add "
               "their sums with one atomic each.",
    .pays = "With few threads most of the device idles. With very many, each block is launched for "
            "only a few elements.",
    .sweep_name = "threads",
    .sweep_text = "threads of the grid, P",
    .sweep_values = {256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288,
                     699136, 1048576, 2097152, 4194304, 8388608, 16777216},
    .claims =
        {
            {"n / log2 n processors need about 2 log2 n steps, twice the least (here with a thread "
             "for a processor, though the GPU holds fewer at once: 699 136 threads, n / log2 n "
             "rounded up to whole blocks, take 1.5 to 2.5 times as long as the best setting).",
             "Liu, Reduction slides (after Harris)", "Brent's theorem example application",
             "16777216", "behind_best_pct BETWEEN 50 AND 150", 699136},
            {"n / log2 n threads make the cost, processors times time, of the order of n (here: "
             "less than log2 n = 24 times the least cost of all settings).",
             "Liu, Reduction slides (after Harris)", "What about Cost?", "16777216",
             "cost_over_least < 24", 699136},
            {"n threads are not cost-efficient: their cost is of the order of n log n (here: at "
             "least log2 n = 24 times the least cost).",
             "Liu, Reduction slides (after Harris)", "What about Cost?", "16777216",
             "cost_over_least >= 24", 16777216},
            {"n processors reach the least number of steps, log2 n (here with a thread for a "
             "processor, though the GPU holds fewer at once: no number of threads is faster than "
             "n, beyond the noise floor).",
             "Liu, Reduction slides (after Harris)", "Brent's theorem example application",
             "16777216", "NOT behind_best", 16777216},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
