/*
 * Rung 5: as many threads for a batch as its length asks for.
 *
 * Rungs 1 to 4 give each batch a block of 256 threads, whatever its length: a batch of 64 floats
 * leaves most of the threads idle, and 16 batches leave most of the SMs idle. Here a batch gets
 * just enough threads to have all of its elements in flight at once, with four loads of 16 bytes
 * each: from 4 lanes of a warp to a block of 512 threads. A warp takes up to 1024 elements, with
 * eight loads per lane; long batches that fill the device get blocks of 256 threads. If a batch is
 * whole tiles of 4096 elements, or 8192 for long ones, no element needs a check of bounds, and two
 * loads for each thread leave registers for as many threads as an SM holds. If the batches are
 * longer than a tile of the largest block, and fewer than two for each SM, several blocks share a
 * batch, and the first of them collects their sums as in the ladder of one sum. Batches whose
 * length is no multiple of 4 are also read by aligned loads; the elements before the first and
 * after the last of these are read singly.
 *
 * Remaining cost: every byte must be read once.
 */
#include "batched.h"

/* A group of lanes for each batch. */
template <unsigned GROUP, unsigned VECTORS>
static __global__ void __launch_bounds__(BATCHED_BLOCK)
    batched_groups(const float *in, float *out, uint64_t batches, uint64_t length)
{
    const uint64_t batch = (uint64_t)blockIdx.x * (BATCHED_BLOCK / GROUP) + threadIdx.x / GROUP;
    const unsigned lane = threadIdx.x % GROUP;
    const sum_of_array<float> terms = {in};
    float sum = 0;
    if (batch < batches)
        sum = sum_of_tiles<GROUP, VECTORS>(terms, batch * length, (batch + 1) * length, lane, 0, 1);
    sum = sum_warp<SUM_XOR, GROUP>(sum);
    if (lane == 0 && batch < batches) out[batch] = sum;
}

/* A block for each batch. */
template <unsigned BLOCK, unsigned VECTORS>
static __global__ void __launch_bounds__(BLOCK)
    batched_block(const float *in, float *out, uint64_t length)
{
    const uint64_t start = blockIdx.x * length;
    const sum_of_array<float> terms = {in};
    const float sum = sum_block<SUM_XOR, BLOCK>(
        sum_of_tiles<BLOCK, VECTORS>(terms, start, start + length, threadIdx.x, 0, 1));
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/* The same for a batch of so many whole tiles. */
template <unsigned BLOCK, unsigned VECTORS>
static __global__ void __launch_bounds__(BLOCK)
    batched_whole(const float4 *in, float *out, unsigned tiles)
{
    const float4 *from = in + (uint64_t)blockIdx.x * tiles * (BLOCK * VECTORS) + threadIdx.x;
    float sum = 0;
    for (unsigned tile = 0; tile < tiles; tile++, from += BLOCK * VECTORS) {
        float4 x[VECTORS];
#pragma unroll
        for (unsigned k = 0; k < VECTORS; k++) x[k] = __ldg(from + k * BLOCK);
#pragma unroll
        for (unsigned k = 0; k < VECTORS; k++) sum += (x[k].x + x[k].y) + (x[k].z + x[k].w);
    }
    sum = sum_block<SUM_XOR, BLOCK>(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

/* A row of the grid for each batch. */
template <unsigned BLOCK, unsigned VECTORS>
static __global__ void __launch_bounds__(BLOCK)
    batched_row(const float *in, float *out, uint64_t length)
{
    const uint64_t start = blockIdx.y * length;
    const sum_of_array<float> terms = {in};
    const float sum = sum_block<SUM_XOR, BLOCK>(sum_of_tiles<BLOCK, VECTORS>(
        terms, start, start + length, threadIdx.x, blockIdx.x, gridDim.x));
    sum_by_first_block<BLOCK>(sum, out);
}

static void plan_groups(const struct work *work, unsigned group, struct launch *launch)
{
    const uint64_t batches = work->point.shape.dim[0], length = work->point.shape.dim[1],
                   per_block = BATCHED_BLOCK / group;
    launch->grid[0] = (unsigned)((batches + per_block - 1) / per_block);
    launch->block[0] = BATCHED_BLOCK;
    launch_kernel(launch,
                  group == 4                          ? batched_groups<4, 4>
                  : group == 8                        ? batched_groups<8, 4>
                  : group == 16                       ? batched_groups<16, 4>
                  : length <= 32 * BATCHED_PER_THREAD ? batched_groups<32, 4>
                                                      : batched_groups<32, BATCHED_WIDE_LOADS>,
                  work->input[0], work->output, batches, length);
}

/* The threads of a block for a batch of whole tiles. */
static constexpr unsigned whole_block(unsigned tile)
{
    return tile / (4 * BATCHED_WHOLE_VECTORS);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const uint64_t batches = work->point.shape.dim[0], length = work->point.shape.dim[1];
    const struct batched_division division = batched_divide(batches, length, work->sm_count);
    if (division.group) {
        plan_groups(work, division.group, launch);
        return;
    }
    launch->block[0] = division.whole ? whole_block(division.tile) : sum_tile_block(division.tile);
    if (division.whole) {
        launch->grid[0] = (unsigned)batches;
        launch_kernel(
            launch,
            division.tile == BATCHED_WHOLE_TILE
                ? batched_whole<whole_block(BATCHED_WHOLE_TILE), BATCHED_WHOLE_VECTORS>
                : batched_whole<whole_block(2 * BATCHED_WHOLE_TILE), BATCHED_WHOLE_VECTORS>,
            work->input[0], work->output, (unsigned)(length / division.tile));
    } else if (division.parts == 1) {
        launch->grid[0] = (unsigned)batches;
        launch_kernel(launch, SUM_KERNEL(batched_block, division.tile), work->input[0],
                      work->output, length);
    } else {
        launch->grid[0] = division.parts;
        launch->grid[1] = (unsigned)batches;
        launch_kernel(launch, SUM_KERNEL(batched_row, division.tile), work->input[0], work->output,
                      length);
    }
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Groups sized by length",
    .after = "02_tiles",
    .suffers = "A block of 256 threads takes each batch: short batches leave threads idle, and few "
               "batches leave SMs idle.",
    .changes =
        "A batch gets from 4 lanes of a warp to a block of 1024 threads, enough to have all of "
        "its elements in flight; several blocks share a long batch if there are few.",
    .pays = "Every byte must be read once.",
    .claims =
        {
            {"The kernel is no slower than the libraries.", "whyfast", "Aim of the top rung", NULL,
             "NOT slower_than_library"},
        },
    .refuses = batched_refuses,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
