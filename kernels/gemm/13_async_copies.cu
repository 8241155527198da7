/*
 * Rung 13: asynchronous copies, from the sources' "kernel 12".
 *
 * Rung 10 keeps words in flight from global memory in registers. From compute capability 8.0 on,
 * words can be copied from global to shared memory without passing through registers, while the
 * thread continues. Here the next tile is copied into the other buffer while the present one is
 * multiplied. A must be transposed on the way, so its words are copied one by one; B is copied 16
 * bytes at a time.
 *
 * Remaining cost: four copies of one word instead of one load of four words, each with its own
 * address.
 */
#include <cuda_pipeline.h>

#include "classic.h"

static __device__ inline void copy_tile(float (*tile_a)[TILE_M], float (*tile_b)[TILE_N],
                                        const float *a, const float *b, unsigned n, unsigned k,
                                        unsigned at)
{
    const unsigned t = threadIdx.x, row = t / 2, column = t % 2 * 4;
#pragma unroll
    for (unsigned j = 0; j < 4; j++)
        __pipeline_memcpy_async(&tile_a[column + j][row], a + row * k + at + column + j, 4);
    __pipeline_memcpy_async(&tile_b[t / 32][t % 32 * 4], b + (at + t / 32) * n + t % 32 * 4, 16);
    __pipeline_commit();
}

static __global__ void __launch_bounds__(THREADS)
    gemm_async_copies(const float *__restrict__ a, const float *__restrict__ b,
                      float *__restrict__ c, unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[2][TILE_K][TILE_M], tile_b[2][TILE_K][TILE_N];
    const struct position at = position_in_warp_tile(threadIdx.x);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    struct fragment f[2];
    unsigned now = 0;
    a = tiles_of_a(a, k);
    b = tiles_of_b(b);
    copy_tile(tile_a[0], tile_b[0], a, b, n, k, 0);
    __pipeline_wait_prior(0);
    __syncthreads();
    read_fragment(&f[0], tile_a[0][0], tile_b[0][0], at);
    for (unsigned i = TILE_K; i <= k; i += TILE_K) {
        const bool more = i < k;
        if (more) copy_tile(tile_a[now ^ 1], tile_b[now ^ 1], a, b, n, k, i);
#pragma unroll
        for (int j = 0; j < TILE_K - 1; j++) {
            read_fragment(&f[(j + 1) % 2], tile_a[now][j + 1], tile_b[now][j + 1], at);
            multiply_fragment(sum, f[j % 2]);
        }
        now ^= 1;
        if (more) {
            __pipeline_wait_prior(0);
            __syncthreads();
            read_fragment(&f[0], tile_a[now][0], tile_b[now][0], at);
        }
        multiply_fragment(sum, f[(TILE_K - 1) % 2]);
    }
    write_result(tile_of_c(c, n), n, sum, at);
}

static const char *refuses(const struct point *point, int compute_capability)
{
    if (compute_capability < 80) return "asynchronous copies need compute capability 8.0";
    return refuse_untiled(point, compute_capability);
}

/* The copies are not stores: the counters count them under another name. */
static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    return describe_reads(list, 0, warp_tiles(work), address_warp_tile_a, address_warp_tile_b);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Asynchronous copies",
    .after = "10_warp_tiles",
    .suffers = "Words in flight from global memory occupy registers.",
    .changes = "Words are copied from global to shared memory without passing through registers, "
               "in the background of the products.",
    .pays = "A is transposed word by word: four copies replace one load.",
    .claims =
        {
            {"From compute capability 8.0 on words can be copied from global to shared memory "
             "without passing through registers: no load to registers is left.",
             "GEMM double buffering notes", "Double buffering, kernel 12", NULL,
             "shared_async_instructions > 0 AND global_load_instructions = 0"},
        },
    .refuses = refuses,
    .plan = plan_by<gemm_plan, gemm_async_copies, TILE_M, TILE_N, THREADS>,
    .shared_accesses = accesses,
};
