/*
 * Rung 23: the halves of a block take turns at copying: the double buffer of the worklog's kernel
 * 11.
 *
 * The tiles, the mapping from threads to elements and the reads are those of rung 8. There too a
 * tile is copied while another is multiplied, but by the same threads, whose loads are in flight
 * during their products. Here a half of the warps copies a whole tile into one buffer while the
 * other half multiplies the other buffer. Two tiles take three turns: of each half one turn to copy
 * and two to multiply, one after the other. As in the worklog, there is one set of fragments.
 *
 * Remaining cost: a half that copies waits for its loads with nothing else to do. There are three
 * barriers for two tiles. Reads of B and stores of A have bank conflicts.
 */
#include "classic.h"

enum { HALF = THREADS / 2 };

/* Copies the tiles at `at` with half of the threads: each copies two quads of A and two of B. */
static __device__ inline void copy_by_half(float (*tile_a)[TILE_M], float (*tile_b)[TILE_N],
                                           const float *__restrict__ a, const float *__restrict__ b,
                                           unsigned n, unsigned k, unsigned at)
{
    const unsigned t = threadIdx.x % HALF, column = t % 2 * 4;
#pragma unroll
    for (unsigned row = t / 2; row < TILE_M; row += HALF / 2) {
        const float4 v = load_four(a + row * k + at + column);
        tile_a[column][row] = v.x;
        tile_a[column + 1][row] = v.y;
        tile_a[column + 2][row] = v.z;
        tile_a[column + 3][row] = v.w;
    }
#pragma unroll
    for (unsigned row = t / 32; row < TILE_K; row += HALF / 32)
        *reinterpret_cast<float4 *>(&tile_b[row][t % 32 * 4]) =
            load_four(b + (at + row) * n + t % 32 * 4);
}

static __global__ void __launch_bounds__(THREADS)
    gemm_halves_in_turn(const float *__restrict__ a, const float *__restrict__ b,
                        float *__restrict__ c, unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[2][TILE_K][TILE_M], tile_b[2][TILE_K][TILE_N];
    const struct position at = position_in_square(threadIdx.x);
    const bool is_first = threadIdx.x < HALF;
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    a = tiles_of_a(a, k);
    b = tiles_of_b(b);
    if (is_first) copy_by_half(tile_a[0], tile_b[0], a, b, n, k, 0);
    __syncthreads();
    for (unsigned i = 0; i < k; i += 2 * TILE_K) {
        const bool has_second = i + TILE_K < k, has_next = i + 2 * TILE_K < k;
        if (is_first)
            multiply_tile(sum, tile_a[0], tile_b[0], at);
        else if (has_second)
            copy_by_half(tile_a[1], tile_b[1], a, b, n, k, i + TILE_K);
        __syncthreads();
        if (!is_first || has_second) multiply_tile(sum, tile_a[is_first], tile_b[is_first], at);
        __syncthreads();
        if (!is_first && has_second)
            multiply_tile(sum, tile_a[1], tile_b[1], at);
        else if (is_first && has_next)
            copy_by_half(tile_a[0], tile_b[0], a, b, n, k, i + 2 * TILE_K);
        __syncthreads();
    }
    write_result(tile_of_c(c, n), n, sum, at);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Halves take turns",
    .after = "08_double_buffer",
    .suffers =
        "All threads of a block load, multiply and store alike, and keep the words in flight "
        "in registers.",
    .changes = "The halves of a block take turns: one copies a tile while the other multiplies the "
               "tile before it.",
    .pays = "The half that copies waits for its loads, and there are three barriers for two tiles.",
    .full_only = 1,
    .claims =
        {
            {"The double buffer of these notes is better than that of the worklog, in which the "
             "halves of a block take turns (here: with equal tiles the worklog's is slower).",
             "GEMM double buffering notes", "Foreword", NULL, "slower"},
        },
    .published =
        {
            {"siboehm, SGEMM_CUDA", "RTX A6000", 768, "4096x4096x4096", 0, 0, 7954426, 25.3},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_halves_in_turn, TILE_M, TILE_N, THREADS>,
    .shared_accesses = list_tiles<address_square_a, address_square_b>,
};
