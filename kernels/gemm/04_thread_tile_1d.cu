/*
 * Rung 4: a thread computes eight elements of a column.
 *
 * A word of B in a register serves eight rows. So eight multiply-adds need one read of B and eight
 * of A; a whole warp reads the same words of A, four at a time.
 *
 * Remaining cost: shared memory is still read about once for every three multiply-adds.
 */
#include "gemm.h"

enum { SIDE = 64, DEPTH = 8, ROWS = 8, THREADS = SIDE * SIDE / ROWS };

static __global__ void __launch_bounds__(THREADS)
    gemm_thread_tile_1d(const float *__restrict__ a, const float *__restrict__ b,
                        float *__restrict__ c, unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ float tile_a[SIDE][DEPTH], tile_b[DEPTH][SIDE];
    const unsigned x = threadIdx.x % SIDE, y = threadIdx.x / SIDE * ROWS;
    const unsigned row_a = threadIdx.x / DEPTH, column_a = threadIdx.x % DEPTH,
                   row_b = threadIdx.x / SIDE, column_b = threadIdx.x % SIDE;
    float sum[ROWS] = {0};
    a += blockIdx.y * SIDE * k;
    b += blockIdx.x * SIDE;
    for (unsigned i = 0; i < k; i += DEPTH) {
        tile_a[row_a][column_a] = a[row_a * k + i + column_a];
        tile_b[row_b][column_b] = b[(i + row_b) * n + column_b];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < DEPTH; j++) {
            const float factor = tile_b[j][x];
#pragma unroll
            for (int r = 0; r < ROWS; r++) sum[r] += tile_a[y + r][j] * factor;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        c[(blockIdx.y * SIDE + y + r) * n + blockIdx.x * SIDE + x] = sum[r];
}

static const char *refuses(const struct point *point, int)
{
    return refuse_ragged(
        point, SIDE, SIDE, DEPTH,
        "M and N must be multiples of 64, K of 8: this rung has no code for the borders");
}

/* The compiler reads a row of A, eight words that a warp shares, 16 bytes at a time. */
static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    const struct point *point = &work->point;
    const double warp_tiles = (double)(gemm_m(point) / SIDE * (gemm_n(point) / SIDE) *
                                       (gemm_k(point) / DEPTH) * (THREADS / 32));
    int count = 0;
    count = describe(list, count, "reads of A", ACCESS_LOAD, 16, warp_tiles * ROWS * DEPTH / 4,
                     address_of_one_word);
    count = describe(list, count, "reads of B", ACCESS_LOAD, 4, warp_tiles * DEPTH,
                     address_of_neighbours);
    count =
        describe(list, count, "writes of A", ACCESS_STORE, 4, warp_tiles, address_of_neighbours);
    return describe(list, count, "writes of B", ACCESS_STORE, 4, warp_tiles, address_of_neighbours);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "1D thread tiles",
    .after = "03_shared_tiles",
    .suffers = "Every multiply-add has its own read from shared memory.",
    .changes =
        "A thread computes eight elements of a column: it reads a word of B once for all of them.",
    .pays = "There are still about a third as many reads from shared memory as multiply-adds.",
    .claims =
        {
            {"Eight results per thread need fewer reads of shared memory.", "siboehm, SGEMM_CUDA",
             "Kernel 4", NULL, "shared_load_instructions < prev_shared_load_instructions"},
            {"Eight results per thread make the kernel faster.", "siboehm, SGEMM_CUDA", "Kernel 4",
             NULL, "faster"},
        },
    .published =
        {
            {"siboehm, SGEMM_CUDA", "RTX A6000", 768, "4096x4096x4096", 0, 0, 16217559, 12.4},
        },
    .refuses = refuses,
    .plan = plan_by<gemm_plan, gemm_thread_tile_1d, SIDE, SIDE, THREADS>,
    .shared_accesses = accesses,
};
