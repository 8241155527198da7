/*
 * Rung 8: double buffering, in shared memory and in registers: the source's sgemm_v1.
 *
 * There are two buffers for the tiles: while one is multiplied, the words of the next tile are in
 * flight from global memory to registers, and they are stored into the other buffer after the
 * products. So no thread waits before storing, and one barrier per tile is enough. Likewise there
 * are two sets of fragments: while one k is multiplied, the fragments of the next k are read.
 *
 * Remaining cost: eight more registers for the words in flight, 16 for the fragments, and twice the
 * shared memory. Reads of B still have bank conflicts.
 */
#include "classic.h"

static __global__ void __launch_bounds__(THREADS)
    gemm_double_buffer(const float *__restrict__ a, const float *__restrict__ b,
                       float *__restrict__ c, unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[2][TILE_K][TILE_M], tile_b[2][TILE_K][TILE_N];
    const struct position at = position_in_square(threadIdx.x);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    multiply_double_buffered(sum, tile_a, tile_b, tiles_of_a(a, k), tiles_of_b(b), n, k, at);
    write_result(tile_of_c(c, n), n, sum, at);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Double buffering",
    .after = "06_wide_loads",
    .suffers = "The latency of the global loads is exposed between the two barriers of each tile.",
    .changes = "There are two buffers and two sets of fragments: the next tile and the next k are "
               "fetched while the present ones are multiplied.",
    .pays = "The kernel needs more registers and twice the shared memory; reads of B still have "
            "bank conflicts.",
    .claims =
        {
            {"There is one barrier per tile instead of two.", "GEMM double buffering notes",
             "Double buffering", NULL, "sass_loop_barriers = 1 AND prev_sass_loop_barriers = 2"},
            {"The latency of global memory is hidden: warps wait less for it (long "
             "scoreboard; here: by at least 20 %).",
             "GEMM double buffering notes", "Double buffering", NULL,
             "stall_long_scoreboard < 0.8 * prev_stall_long_scoreboard"},
            {"Products no longer depend on the reads just before them (here: 32 arithmetic "
             "instructions or more lie between a read and its first use).",
             "GEMM double buffering notes", "Double buffering, instructions", NULL,
             "read_distance >= 32 AND prev_read_distance < 32"},
            {"The GPU issues more instructions without waiting.", "GEMM double buffering notes",
             "Double buffering, instructions", NULL, "issue_active_pct > prev_issue_active_pct"},
            {"The reads have the same bank conflicts as without the double buffer.",
             "GEMM double buffering notes", "Bank conflicts", NULL,
             "abs(load_excess_wavefronts - prev_load_excess_wavefronts) <= 0.001 * "
             "prev_load_excess_wavefronts AND prev_load_excess_wavefronts > 0"},
            {"Double buffering in registers, here together with that in shared memory, hides the "
             "latency from shared memory to registers: warps wait less for it, per instruction "
             "(short scoreboard, which holds waits for the throughput of shared memory, too: more "
             "of them decide nothing where that limits the kernel).",
             "GEMM double buffering notes", "Double buffering", NULL, SHARED_LATENCY_HIDDEN},
            {"Double buffering makes the kernel with wide loads faster.",
             "GEMM double buffering notes", "Foreword", NULL, "faster"},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_double_buffer, TILE_M, TILE_N, THREADS>,
    .shared_accesses = list_tiles<address_square_a, address_square_b>,
};
