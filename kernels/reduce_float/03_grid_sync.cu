/*
 * Rung 3: the whole sum in one cooperative launch.
 *
 * In a cooperative launch all blocks are resident, so the grid can have a barrier. After the
 * barrier the same launch sums the partial sums, round after round. The grid cannot have more
 * blocks than the device holds at once. The number per SM is the setting, and settings that do not
 * fit are skipped. The last round writes the result itself. Rung 8 is the kernel of the source.
 *
 * Remaining cost: in the late rounds most blocks have no work but still wait.
 */
#include "reduce_float.h"

/* One round: n elements at `in` become one sum per GROUP_ELEMENTS of them at `out`. */
static __device__ void sum_round(const float *in, float *out, uint64_t n)
{
    const uint64_t pieces = (n + GROUP_ELEMENTS - 1) / GROUP_ELEMENTS;
    for (uint64_t piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
        const uint64_t start = piece * GROUP_ELEMENTS, left = n - start;
        const float sum = group_sum_shared(
            group_sum_of_thread(in + start, left < GROUP_ELEMENTS ? left : GROUP_ELEMENTS));
        if (threadIdx.x == 0) out[piece] = sum;
    }
}

static __global__ void reduce_float_grid_sync(const float *in, float *out, uint64_t n, float *first,
                                              float *second)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    while (n > GROUP_ELEMENTS) {
        sum_round(in, first, n);
        n = (n + GROUP_ELEMENTS - 1) / GROUP_ELEMENTS;
        in = first;
        first = second;
        second = const_cast<float *>(in);
        grid.sync();
    }
    sum_round(in, out, n);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const uint64_t n = work->point.shape.dim[0];
    launch->function = (const void *)reduce_float_grid_sync;
    launch->grid[0] = (unsigned)(work->sm_count * work->point.sweep);
    launch->block[0] = GROUP_THREADS;
    launch->cooperative = 1;
    launch_pointer(launch, work->input[0]);
    launch_pointer(launch, work->output);
    launch_integer(launch, n);
    launch_pointer(launch, work->scratch);
    launch_pointer(launch, (float *)work->scratch + reduce_float_partials(n));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "One cooperative launch",
    .after = "01_shared_tree",
    .suffers = "Blocks can wait for each other only if the kernel ends and another is launched.",
    .changes = "There is one cooperative launch, with a barrier of the grid between the rounds.",
    .pays = "The grid is limited to the resident blocks, and in late rounds most blocks only wait.",
    .sweep_name = "blocks per SM",
    .sweep_text = "blocks of 256 threads in the grid for each SM; the source has one",
    .sweep_values = {1, 2, 4, 8, 16},
    .claims =
        {
            {"A grid that fills the GPU as far as possible is not always the best choice in "
             "practice (here: 4 blocks per SM, where 8 do not fit).",
             "Mao, CUDA Cooperative Groups", "launch_full_reduce_sum", NULL,
             "CASE WHEN blocks_per_sm < 2 * sweep THEN behind_best END", 4, 1},
        },
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
