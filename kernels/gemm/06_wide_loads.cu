/*
 * Rung 6: wide loads, and A transposed: the sources' "kernel 6".
 *
 * A thread loads four words at a time from global memory and stores its part of A by columns, so
 * that the rows of one k are adjacent and can also be read four at a time.
 *
 * Remaining cost: 16 threads of a warp lie side by side along the columns, eight words apart, and
 * those four apart read the same banks of B. Storing A by columns conflicts as well. There are two
 * barriers per tile, and the latency of the loads is exposed between them.
 */
#include "classic.h"

static __global__ void __launch_bounds__(THREADS)
    gemm_wide_loads(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                    unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[TILE_K][TILE_M], tile_b[TILE_K][TILE_N];
    const struct position at = position_in_square(threadIdx.x);
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    a = tiles_of_a(a, k);
    b = tiles_of_b(b);
    for (unsigned i = 0; i < k; i += TILE_K) {
        store_tile(tile_a, tile_b, load_tile(a, b, n, k, i));
        __syncthreads();
        multiply_tile(sum, tile_a, tile_b, at);
        __syncthreads();
    }
    write_result(tile_of_c(c, n), n, sum, at);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Wide loads, A transposed",
    .after = "05_thread_tile_2d",
    .suffers = "Global memory is read word by word, and the words of A that a thread needs are "
               "spread out.",
    .changes = "Each load takes four words, and A is stored by columns, so that reads of both "
               "tiles are 16 bytes wide.",
    .pays = "Reads of B and stores of A have bank conflicts, and the latency of the global loads "
            "is exposed between two barriers.",
    .claims =
        {
            {"A warp reads only 16 words of A, from 16 banks, so these reads have no bank "
             "conflicts.",
             "GEMM double buffering notes", "Bank conflicts", NULL,
             "closed_form_excess_reads_a = 0 AND load_excess_wavefronts <= 1.001 * "
             "closed_form_excess_reads_b"},
            {"Reads of B have bank conflicts, because threads at a distance of four read the same "
             "eight banks.",
             "GEMM double buffering notes", "Bank conflicts", NULL,
             "closed_form_excess_reads_b > 0 AND load_excess_wavefronts >= 0.999 * "
             "closed_form_excess_reads_b"},
            {"The products of each k depend on reads of the same k from shared memory and wait "
             "for them (here: fewer than 32 arithmetic instructions lie between a read and its "
             "first use, and warps wait longer for shared memory than for results of "
             "arithmetic).",
             "GEMM double buffering notes", "Double buffering, instructions", NULL,
             "read_distance < 32 AND stall_short_scoreboard > stall_wait"},
            {"Wide loads and a transposed A make the kernel faster.", "siboehm, SGEMM_CUDA",
             "Kernel 6", NULL, "faster"},
        },
    .published =
        {
            {"siboehm, SGEMM_CUDA", "RTX A6000", 768, "4096x4096x4096", 0, 0, 7536148, 26.7},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_wide_loads, TILE_M, TILE_N, THREADS>,
    .shared_accesses = list_tiles<address_square_a, address_square_b>,
};
