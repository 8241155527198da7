/*
 * Rung 9: double buffering with the products first.
 *
 * Rung 8 requests the next tile, multiplies, and stores the loaded words. Here the products come
 * first, followed by the loads and then immediately the stores: the source's author found this
 * order to win at times from 2048 up.
 *
 * Remaining cost: in program order the latency of the loads is exposed again; hiding it is left to
 * the compiler and to the other warps.
 */
#include "classic.h"

static __global__ void __launch_bounds__(THREADS)
    gemm_compute_first(const float *__restrict__ a, const float *__restrict__ b,
                       float *__restrict__ c, unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[2][TILE_K][TILE_M], tile_b[2][TILE_K][TILE_N];
    const struct position at = position_in_square(threadIdx.x);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    struct fragment f[2];
    unsigned now = 0;
    a = tiles_of_a(a, k);
    b = tiles_of_b(b);
    store_tile(tile_a[0], tile_b[0], load_tile(a, b, n, k, 0));
    __syncthreads();
    read_fragment(&f[0], tile_a[0][0], tile_b[0][0], at);
    for (unsigned i = TILE_K; i <= k; i += TILE_K) {
#pragma unroll
        for (int j = 0; j < TILE_K - 1; j++) {
            read_fragment(&f[(j + 1) % 2], tile_a[now][j + 1], tile_b[now][j + 1], at);
            multiply_fragment(sum, f[j % 2]);
        }
        now ^= 1;
        if (i < k) {
            store_tile(tile_a[now], tile_b[now], load_tile(a, b, n, k, i));
            __syncthreads();
            read_fragment(&f[0], tile_a[now][0], tile_b[now][0], at);
        }
        multiply_fragment(sum, f[1]);
    }
    write_result(tile_of_c(c, n), n, sum, at);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Compute before load",
    .after = "08_double_buffer",
    .suffers = "Words in flight from global memory hold registers during the products.",
    .changes = "The products come first; then the next tile is loaded and stored.",
    .pays = "The latency of the loads is exposed again.",
    .claims =
        {
            {"A store right after its load must wait for it and hides less latency: warps wait "
             "longer for global memory (long scoreboard; here with the products first).",
             "GEMM double buffering notes", "Double buffering, ldg_a_reg", NULL,
             "stall_long_scoreboard > prev_stall_long_scoreboard"},
            {"For large matrices, here 2048, this order is at times a little faster.",
             "GEMM double buffering notes", "Double buffering, the order of the loops",
             "2048x2048x2048", "faster", .at_times = 1},
            {"For large matrices, here 4096, this order is at times a little faster.",
             "GEMM double buffering notes", "Double buffering, the order of the loops",
             "4096x4096x4096", "faster", .at_times = 1},
            {"For large matrices, here 8192, this order is at times a little faster.",
             "GEMM double buffering notes", "Double buffering, the order of the loops",
             "8192x8192x8192", "faster", .at_times = 1},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_compute_first, TILE_M, TILE_N, THREADS>,
    .shared_accesses = list_tiles<address_square_a, address_square_b>,
};
