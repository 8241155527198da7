/*
 * Rung 20: reading and multiplying in turn.
 *
 * In rung 6 the compiler unrolls the loop over k and issues a few reads of the next k early; most
 * are used at once. Here the loop is not unrolled: each k is read and then multiplied, as the
 * source describes kernel 6. This is the kernel that rung 21 is compared with, so the compiler has
 * the same bound on the registers as there: those of two blocks per SM.
 *
 * Remaining cost: at each k the products wait for their words from shared memory, and the loop has
 * seven more instructions for every 64 products.
 */
#include "classic.h"

static __device__ inline void multiply_in_turn(float (&sum)[PER_THREAD][PER_THREAD],
                                               const float (*tile_a)[TILE_M],
                                               const float (*tile_b)[TILE_N],
                                               const struct position &at)
{
#pragma unroll 1
    for (int i = 0; i < TILE_K; i++) {
        struct fragment f;
        read_fragment(&f, tile_a[i], tile_b[i], at);
        multiply_fragment(sum, f);
    }
}

static __global__ void __launch_bounds__(THREADS, 2)
    gemm_fragments_in_turn(const float *__restrict__ a, const float *__restrict__ b,
                           float *__restrict__ c, unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[TILE_K][TILE_M], tile_b[TILE_K][TILE_N];
    const struct position at = position_in_square(threadIdx.x);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    a = tiles_of_a(a, k);
    b = tiles_of_b(b);
    for (unsigned i = 0; i < k; i += TILE_K) {
        store_tile(tile_a, tile_b, load_tile(a, b, n, k, i));
        __syncthreads();
        multiply_in_turn(sum, tile_a, tile_b, at);
        __syncthreads();
    }
    write_result(tile_of_c(c, n), n, sum, at);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "No register prefetch",
    .after = "06_wide_loads",
    .suffers = "The compiler unrolls the loop over k and issues a few of the reads early, so that "
               "this is not quite the kernel that the source describes.",
    .changes = "The loop over k is not unrolled: each k is read from shared memory and then "
               "multiplied.",
    .pays = "At each k the products wait for their words from shared memory.",
    .full_only = 1,
    .claims =
        {
            {"Without double buffering the products of each k depend on the reads just before "
             "them and wait for them (here: at most 8 arithmetic instructions lie between a read "
             "and its first use, and warps wait longer for shared memory than for results of "
             "arithmetic).",
             "GEMM double buffering notes", "Double buffering, instructions", NULL,
             "read_distance <= 8 AND stall_short_scoreboard > stall_wait"},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_fragments_in_turn, TILE_M, TILE_N, THREADS>,
    .shared_accesses = list_tiles<address_square_a, address_square_b>,
};
