/*
 * Rung 7: B is stored in another order: the sources' "kernel 7".
 *
 * The eight columns of a thread are stored in eight rows of 16 words, one word for each of the 16
 * threads that lie side by side. These threads now read neighbouring words, without conflicts.
 *
 * Remaining cost: a thread's eight words are no longer adjacent, so reading them takes eight reads
 * instead of two; storing B takes four stores instead of one, and these conflict.
 */
#include "classic.h"

enum { SIDE_BY_SIDE = 16 };

static __global__ void __launch_bounds__(THREADS)
    gemm_swizzled_b(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                    unsigned /* m */, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[TILE_K][TILE_M];
    __shared__ float tile_b[TILE_K][PER_THREAD][SIDE_BY_SIDE];
    const struct position at = position_in_square(threadIdx.x);
    const unsigned t = threadIdx.x, x = t % SIDE_BY_SIDE;
    float sum[PER_THREAD][PER_THREAD] = {{0}};
    a = tiles_of_a(a, k);
    b = tiles_of_b(b);
    for (unsigned i = 0; i < k; i += TILE_K) {
        const struct staged staged = load_tile(a, b, n, k, i);
        const float word[4] = {staged.b.x, staged.b.y, staged.b.z, staged.b.w};
        tile_a[t % 2 * 4][t / 2] = staged.a.x;
        tile_a[t % 2 * 4 + 1][t / 2] = staged.a.y;
        tile_a[t % 2 * 4 + 2][t / 2] = staged.a.z;
        tile_a[t % 2 * 4 + 3][t / 2] = staged.a.w;
#pragma unroll
        for (int j = 0; j < 4; j++) tile_b[t / 32][t % 2 * 4 + j][t % 32 / 2] = word[j];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < TILE_K; j++) {
            struct fragment f;
            read_quad(f.a, tile_a[j] + at.m);
            read_quad(f.a + 4, tile_a[j] + at.m + 4);
#pragma unroll
            for (int s = 0; s < PER_THREAD; s++) f.b[s] = tile_b[j][s][x];
            multiply_fragment(sum, f);
        }
        __syncthreads();
    }
    write_result(tile_of_c(c, n), n, sum, at);
}

static int address_swizzled(int lane)
{
    return lane % SIDE_BY_SIDE * 4;
}
static int address_stored_swizzled(int lane)
{
    return (lane % 2 * 4 * SIDE_BY_SIDE + lane / 2) * 4;
}

static int accesses(const struct work *work, unsigned, struct shared_access *list)
{
    const double warps = warp_tiles(work);
    int count = 0;
    count =
        describe(list, count, "reads of A", ACCESS_LOAD, 16, 2 * TILE_K * warps, address_square_a);
    count = describe(list, count, "reads of B", ACCESS_LOAD, 4, PER_THREAD * TILE_K * warps,
                     address_swizzled);
    count = describe(list, count, "writes of A", ACCESS_STORE, 4, 4 * warps, address_stored_a);
    return describe(list, count, "writes of B", ACCESS_STORE, 4, 4 * warps,
                    address_stored_swizzled);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Swizzled B",
    .after = "06_wide_loads",
    .suffers = "Reads of B have bank conflicts: threads that are four apart read the same banks.",
    .changes = "B is stored in an order in which the threads of a warp read neighbouring words.",
    .pays = "Reads and stores of B are 4 bytes wide again: more instructions, and stores with "
            "conflicts.",
    .claims =
        {
            {"The swizzle of B resolves the bank conflicts of the reads.",
             "GEMM double buffering notes", "Bank conflicts, kernel 7", NULL,
             "load_excess_wavefronts < 0.001 * prev_load_excess_wavefronts"},
            {"But B can no longer be read four words at a time: a thread reads its eight words one "
             "by one, which takes more instructions (here: 2.5 times as many for A and B).",
             "GEMM double buffering notes", "Bank conflicts, kernel 7", NULL,
             "shared_load_instructions >= 2.5 * prev_shared_load_instructions"},
            {"Swizzled B is slower than wide loads (kernels 7 and 6 of the source).",
             "siboehm, SGEMM_CUDA", "Kernel 7", NULL, "slower"},
        },
    .published =
        {
            {"siboehm, SGEMM_CUDA", "RTX A6000", 768, "4096x4096x4096", 0, 0, 8476903, 23.7},
        },
    .refuses = refuse_untiled,
    .plan = plan_by<gemm_plan, gemm_swizzled_b, TILE_M, TILE_N, THREADS>,
    .shared_accesses = accesses,
};
