/*
 * Rung 3: tiles in shared memory.
 *
 * A block loads each element of a tile of A and B once and then reads it 32 times from shared
 * memory. All lanes of a warp read the same word of A, which is broadcast, and neighbouring words
 * of B.
 *
 * Remaining cost: every multiply-add still reads B from shared memory, and each tile has two
 * barriers.
 */
#include "gemm.h"

enum { SIDE = 32 };

static __global__ void __launch_bounds__(SIDE *SIDE)
    gemm_shared_tiles(const float *__restrict__ a, const float *__restrict__ b,
                      float *__restrict__ c, unsigned m, unsigned n, unsigned k)
{
    __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    const unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, row = blockIdx.y * SIDE + y,
                   column = blockIdx.x * SIDE + x;
    float sum = 0;
    for (unsigned i = 0; i < k; i += SIDE) {
        tile_a[y][x] = row < m && i + x < k ? a[row * k + i + x] : 0;
        tile_b[y][x] = i + y < k && column < n ? b[(i + y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < SIDE; j++) sum += tile_a[y][j] * tile_b[j][x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

/* The compiler reads A, four words of the row that a warp shares, 16 bytes at a time. */
static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    const struct point *point = &work->point;
    const double warp_tiles =
        (double)(divide_up(gemm_m(point), SIDE) * divide_up(gemm_n(point), SIDE) *
                 divide_up(gemm_k(point), SIDE) * SIDE);
    int count = 0;
    count = describe(list, count, "reads of A", ACCESS_LOAD, 16, warp_tiles * SIDE / 4,
                     address_of_one_word);
    count = describe(list, count, "reads of B", ACCESS_LOAD, 4, warp_tiles * SIDE,
                     address_of_neighbours);
    count =
        describe(list, count, "writes of A", ACCESS_STORE, 4, warp_tiles, address_of_neighbours);
    return describe(list, count, "writes of B", ACCESS_STORE, 4, warp_tiles, address_of_neighbours);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Shared-memory tiles",
    .after = "02_coalesced",
    .suffers = "Every multiply-add loads two words from global memory.",
    .changes =
        "A block keeps tiles of 32 x 32 in shared memory: each loaded word is used 32 times.",
    .pays =
        "Every multiply-add still reads B from shared memory, and there are two barriers per tile.",
    .claims =
        {
            {"Tiles in shared memory save loads from global memory (here: at most a 30th of them "
             "are left; the tiles are 32 wide).",
             "siboehm, SGEMM_CUDA", "Kernel 3", NULL,
             "30 * global_load_instructions <= prev_global_load_instructions"},
            {"Tiles in shared memory make the kernel faster.", "siboehm, SGEMM_CUDA", "Kernel 3",
             NULL, "faster"},
        },
    .published =
        {
            {"siboehm, SGEMM_CUDA", "RTX A6000", 768, "4096x4096x4096", 0, 0, 46115810, 4.37},
        },
    .refuses = refuse_only_large,
    .plan = plan_by<gemm_plan, gemm_shared_tiles, SIDE, SIDE, SIDE * SIDE>,
    .shared_accesses = accesses,
};
