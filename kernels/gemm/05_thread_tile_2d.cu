/*
 * Rung 5: a thread computes 8 x 8 elements.
 *
 * Eight words of A and eight of B feed 64 multiply-adds: a quarter of a read for each, and less
 * where the compiler reads several words at once. The tiles are 128 x 128 of C, 8 deep.
 *
 * Remaining cost: global loads of single words, and rows of A that are eight words apart in shared
 * memory.
 */
#include "classic.h"

static __global__ void __launch_bounds__(THREADS)
    gemm_thread_tile_2d(const float *__restrict__ a, const float *__restrict__ b,
                        float *__restrict__ c, unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ float tile_a[TILE_M][TILE_K], tile_b[TILE_K][TILE_N];
    const struct position at = position_in_square(threadIdx.x);
    const unsigned row_a = threadIdx.x / TILE_K, column_a = threadIdx.x % TILE_K,
                   row_b = threadIdx.x / TILE_N, column_b = threadIdx.x % TILE_N;
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    a = tiles_of_a(a, k);
    b = tiles_of_b(b);
    for (unsigned i = 0; i < k; i += TILE_K) {
#pragma unroll
        for (unsigned r = 0; r < TILE_M; r += THREADS / TILE_K)
            tile_a[row_a + r][column_a] = a[(row_a + r) * k + i + column_a];
#pragma unroll
        for (unsigned r = 0; r < TILE_K; r += THREADS / TILE_N)
            tile_b[row_b + r][column_b] = b[(i + row_b + r) * n + column_b];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < TILE_K; j++) {
            struct fragment f;
#pragma unroll
            for (int r = 0; r < PER_THREAD; r++) f.a[r] = tile_a[at.m + r][j];
#pragma unroll
            for (int s = 0; s < PER_THREAD; s++) f.b[s] = tile_b[j][at.n + s];
            multiply_fragment(sum, f);
        }
        __syncthreads();
    }
    c = tile_of_c(c, n);
#pragma unroll
    for (int r = 0; r < PER_THREAD; r++)
#pragma unroll
        for (int s = 0; s < PER_THREAD; s++) c[(at.m + r) * n + at.n + s] = sum[r][s];
}

static int address_rows_of_a(int lane)
{
    return position_in_square(lane).m * TILE_K * 4;
}

/* Rows of A are eight words long; the compiler reads them four words at a time. */

static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    const double warps = warp_tiles(work);
    int count = 0;
    count = describe(list, count, "reads of A", ACCESS_LOAD, 16, PER_THREAD * TILE_K / 4 * warps,
                     address_rows_of_a);
    count =
        describe(list, count, "reads of B", ACCESS_LOAD, 16, 2 * TILE_K * warps, address_square_b);
    count = describe(list, count, "writes of A", ACCESS_STORE, 4, 4 * warps, address_of_neighbours);
    return describe(list, count, "writes of B", ACCESS_STORE, 4, 4 * warps, address_of_neighbours);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "2D thread tiles",
    .after = "04_thread_tile_1d",
    .suffers = "There are a third as many reads from shared memory as multiply-adds.",
    .changes = "A thread computes 8 x 8 elements: 16 words read feed 64 multiply-adds. Tiles are "
               "128 x 128 x 8.",
    .pays = "Global memory is read word by word, and A is stored in rows, so the words that a "
            "thread needs at one k are spread out.",
    .claims =
        {
            {"An 8 x 8 tile per thread needs fewer reads of shared memory.", "siboehm, SGEMM_CUDA",
             "Kernel 5", NULL, "shared_load_instructions < prev_shared_load_instructions"},
            {"An 8 x 8 tile per thread makes the kernel faster.", "siboehm, SGEMM_CUDA", "Kernel 5",
             NULL, "faster"},
        },
    .published =
        {
            {"siboehm, SGEMM_CUDA", "RTX A6000", 768, "4096x4096x4096", 0, 0, 8605154, 23.4},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_thread_tile_2d, TILE_M, TILE_N, THREADS>,
    .shared_accesses = accesses,
};
