/*
 * Rung 8: the whole sum in one cooperative launch, as the source has it.
 *
 * There is one block per SM, a thread adds one element in each turn of its loop, and the grid has a
 * barrier after every round. After the last barrier one thread copies the result. The work space
 * holds the partial sums alone; in the source it is as large as the input.
 *
 * Remaining cost: an SM has one block, and in the late rounds most blocks have no work but still
 * wait.
 */
#include "reduce_float.h"

static __global__ void reduce_float_plain_loop_grid(const float *in, float *out, uint64_t n,
                                                    float *first, float *second)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    do {
        const uint64_t pieces = (n + GROUP_ELEMENTS - 1) / GROUP_ELEMENTS;
        for (uint64_t piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
            const uint64_t start = piece * GROUP_ELEMENTS, left = n - start;
            const float sum = group_sum_shared(
                group_sum_in_turn(in + start, left < GROUP_ELEMENTS ? left : GROUP_ELEMENTS));
            if (threadIdx.x == 0) first[piece] = sum;
        }
        grid.sync();
        n = pieces;
        in = first;
        first = second;
        second = const_cast<float *>(in);
    } while (n > 1);
    if (grid.thread_rank() == 0) *out = *in;
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0];
    launch->grid[0] = (unsigned)work->sm_count;
    launch->block[0] = GROUP_THREADS;
    launch->cooperative = 1;
    float *const scratch = static_cast<float *>(work->scratch);
    launch_kernel(launch, reduce_float_plain_loop_grid, work->input[0], work->output, n, scratch,
                  scratch + reduce_float_partials(n));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Plain loop, one cooperative launch",
    .after = "07_plain_loop",
    .suffers = "Blocks can wait for each other only if the kernel ends and another is launched.",
    .changes = "There is one cooperative launch of one block per SM, with a barrier of the grid "
               "after each round.",
    .pays = "An SM has one block, and in late rounds most blocks only wait.",
    .full_only = 1,
    .sustained = 1,
    .claims =
        {
            {"The full sum in one cooperative launch with one block per SM is slower than batched "
             "sums of as many elements (by 1.8 % in the source: 866.7 against 882.6 GB/s); "
             "compared here with rung 7, which launches the batched sum twice.",
             "Mao, CUDA Cooperative Groups, RTX 3090", "Output of the program", "536870912",
             "slower"},
            {"The cooperative launch is only a little slower (1.8 % in the source; here: by no "
             "more than 5 %).",
             "Mao, CUDA Cooperative Groups, RTX 3090", "Output of the program", "536870912",
             "time_ns < 1.05 * prev_time_ns"},
            {"Blocks without work wait, which wastes resources (here: warps spend a larger part of "
             "their time at barriers than in rung 7, whose blocks end when they have no work).",
             "Mao, CUDA Cooperative Groups", "Reduction of a large array", NULL,
             "stall_barrier / stall_total > prev_stall_barrier / prev_stall_total"},
        },
    .published =
        {
            {"Mao, CUDA Cooperative Groups", "RTX 3090", 936.096, "536870912", 256, 0, 2.47788e6,
             866.663},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
