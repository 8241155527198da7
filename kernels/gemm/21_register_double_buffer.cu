/*
 * Rung 21: double buffering in registers.
 *
 * This is rung 20 with two sets of fragments: while one k is multiplied, the fragments of the next
 * k are read. Each iteration of the loop handles two values of k, because registers cannot be
 * indexed at run time; the last two follow the loop. Shared memory still has one buffer, with two
 * barriers per tile.
 *
 * The bound on the registers, those of two blocks per SM, is needed: without it the compiler saves
 * registers by moving the reads behind the products, to where they are used.
 *
 * Remaining cost: about 20 more registers, with as many blocks per SM. Each tile begins with a wait
 * for its first fragments, and the latency of the global loads is exposed between the barriers.
 */
#include "classic.h"

static __device__ inline void multiply_ahead(float (&sum)[PER_THREAD][PER_THREAD],
                                             const float (*tile_a)[TILE_M],
                                             const float (*tile_b)[TILE_N],
                                             const struct position &at)
{
    struct fragment f[2];
    read_fragment(&f[0], tile_a[0], tile_b[0], at);
#pragma unroll 1
    for (int i = 0; i < TILE_K - 2; i += 2) {
        read_fragment(&f[1], tile_a[i + 1], tile_b[i + 1], at);
        multiply_fragment(sum, f[0]);
        read_fragment(&f[0], tile_a[i + 2], tile_b[i + 2], at);
        multiply_fragment(sum, f[1]);
    }
    read_fragment(&f[1], tile_a[TILE_K - 1], tile_b[TILE_K - 1], at);
    multiply_fragment(sum, f[0]);
    multiply_fragment(sum, f[1]);
}

static __global__ void __launch_bounds__(THREADS, 2)
    gemm_register_double_buffer(const float *__restrict__ a, const float *__restrict__ b,
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
        multiply_ahead(sum, tile_a, tile_b, at);
        __syncthreads();
    }
    write_result(tile_of_c(c, n), n, sum, at);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double-buffered registers",
    .after = "20_fragments_in_turn",
    .suffers = "At each k the products wait for their words from shared memory.",
    .changes = "There are two sets of fragments: the next k is read from shared memory while the "
               "present one is multiplied.",
    .pays = "The kernel needs more registers, and the latency of the global loads stays exposed; "
            "the loop over k is still not unrolled, as it is in rung 6.",
    .full_only = 1,
    .claims =
        {
            {"With double buffering in registers the products no longer depend on the reads just "
             "before them (here: 32 arithmetic instructions or more lie between a read and its "
             "first use).",
             "GEMM double buffering notes", "Double buffering, instructions", NULL,
             "read_distance >= 32 AND prev_read_distance < 32"},
            {"This hides the latency from shared memory to registers: warps wait less for it, per "
             "instruction (short scoreboard, which holds waits for the throughput of shared "
             "memory, too: more of them decide nothing where that limits the kernel).",
             "GEMM double buffering notes", "Double buffering", NULL, SHARED_LATENCY_HIDDEN},
            {"The GPU issues more instructions without waiting.", "GEMM double buffering notes",
             "Double buffering, instructions", NULL, "issue_active_pct > prev_issue_active_pct"},
            {"Double buffering in registers makes the kernel faster (here: than the same loop "
             "without it).",
             "GEMM double buffering notes", "Double buffering", NULL, "faster"},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_register_double_buffer, TILE_M, TILE_N, THREADS>,
    .shared_accesses = list_tiles<address_square_a, address_square_b>,
};
