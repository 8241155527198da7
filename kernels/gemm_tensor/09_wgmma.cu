/*
 * Rung 9: instructions of a warpgroup that read both operands from shared memory.
 *
 * mma.sync takes its operands from registers, so every warp reads its fragments from shared memory
 * first. Hopper's wgmma takes the addresses of both tiles instead. Four warps issue it together for
 * 64 x 128 sums, 16 deep, and need not wait: the products of the next slice are queued behind it.
 * It reads rows of 128 bytes whose 16-byte pieces are permuted by the row's index modulo 8, as in
 * rung 5, and transposes B on the way.
 *
 * A block of two warpgroups computes 128 x 128 of C. All threads copy slices of 64 k into a ring of
 * four stages by cp.async. Such copies are ordinary writes to shared memory, and wgmma reads past
 * them, so each thread issues a fence after its copies have arrived. A stage is filled again
 * when the products of two slices later have been issued: then all warpgroups have left it.
 *
 * Remaining cost: every thread computes the addresses of 8 copies per slice, and both warpgroups
 * meet at a barrier for each slice.
 */
#include "mma.h"
#include "wgmma_tile.h"

enum {
    TILE_M = 128,
    TILE_N = 128,
    GROUPS = TILE_M / WGMMA_M,
    THREADS = GROUPS * WARPGROUP,
    STAGES = 4,
    AHEAD = STAGES - 2, /* slices in flight while two are multiplied */
    A_BYTES = TILE_M * SWIZZLE,
    STAGE_BYTES = A_BYTES + TILE_N / STRIP * STRIP_BYTES,
    SHARED_BYTES = STAGES * STAGE_BYTES + SWIZZLE_BLOCK,
    PIECE = 8, /* elements of 16 bytes */
    PIECES_A = TILE_M * SLICE / PIECE,
    PIECES_B = SLICE * TILE_N / PIECE,
    PIECES_OF_ROW = SWIZZLE / 16
};

static __device__ inline uint32_t place_of_piece(int row, int piece)
{
    return row * SWIZZLE + (piece ^ row % PIECES_OF_ROW) * 16;
}

/* Rows of A and columns of B beyond the borders repeat the last ones, because no result of theirs
 * is stored; beyond K, zeros take their place. */
static __device__ inline void copy_slice(uint32_t stage, const bfloat16 *a, const bfloat16 *b,
                                         int m, int n, int k, int slice)
{
#pragma unroll
    for (int i = 0; i < PIECES_A / THREADS; i++) {
        const int at = i * THREADS + threadIdx.x, row = at / PIECES_OF_ROW,
                  piece = at % PIECES_OF_ROW, column = slice * SLICE + piece * PIECE;
        copy_piece(stage + place_of_piece(row, piece),
                   a + (size_t)min(blockIdx.y * TILE_M + row, m - 1) * k + column,
                   column < k ? 16 : 0);
    }
#pragma unroll
    for (int i = 0; i < PIECES_B / THREADS; i++) {
        const int at = i * THREADS + threadIdx.x, row = at / (TILE_N / PIECE),
                  piece = at % (TILE_N / PIECE);
        copy_piece(stage + A_BYTES + piece / PIECES_OF_ROW * STRIP_BYTES +
                       place_of_piece(row, piece % PIECES_OF_ROW),
                   b + (size_t)(slice * SLICE + row) * n +
                       min(blockIdx.x * TILE_N + piece * PIECE, n - PIECE),
                   slice * SLICE + row < k ? 16 : 0);
    }
}

static __global__ void __launch_bounds__(THREADS)
    gemm_tensor_wgmma(const bfloat16 *a, const bfloat16 *b, float *c, int m, int n, int k)
{
    extern __shared__ unsigned char memory[];
    const uint32_t ring = align_to_blocks(shared_address(memory));
    const int group = threadIdx.x / WARPGROUP, slices = (k + SLICE - 1) / SLICE;
    float sum[1][TILE_N / 2];
    for (int slice = 0; slice < AHEAD; slice++) {
        if (slice < slices) copy_slice(ring + slice * STAGE_BYTES, a, b, m, n, k, slice);
        close_copies();
    }
    for (int slice = 0; slice < slices; slice++) {
        const uint32_t stage = ring + slice % STAGES * STAGE_BYTES;
        const int next = slice + AHEAD;
        wait_for_copies<AHEAD - 1>();
        fence_before_engine();
        __syncthreads();
        multiply_stage<1, TILE_N>(sum, stage + group * WGMMA_M * SWIZZLE, stage + A_BYTES,
                                  slice > 0);
        if (next < slices) copy_slice(ring + next % STAGES * STAGE_BYTES, a, b, m, n, k, next);
        close_copies();
        wgmma_wait<1>();
    }
    wgmma_wait<0>();
    store_pairs<TILE_N>(c, m, n, blockIdx.y * TILE_M + group * WGMMA_M, blockIdx.x * TILE_N,
                        threadIdx.x % WARPGROUP, sum[0]);
}

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    const struct point *point = &work->point;
    launch->grid[0] = (unsigned)divide_up(gemm_n(point), TILE_N);
    launch->grid[1] = (unsigned)divide_up(gemm_m(point), TILE_M);
    launch->block[0] = THREADS;
    launch->dynamic_shared = SHARED_BYTES;
    launch_kernel(launch, gemm_tensor_wgmma, work->input[0], work->input[1], work->output,
                  gemm_m(point), gemm_n(point), gemm_k(point));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "wgmma",
    .after = "08_fragment_buffers",
    .suffers = "Every warp reads its fragments from shared memory into registers before a tensor "
               "core can multiply them.",
    .changes = "Four warps issue one instruction that reads both tiles from shared memory itself, "
               "and go on while it runs.",
    .pays = "All threads compute the addresses of copies and meet at a barrier for each slice.",
    .claims =
        {
            {"No fragment is read by the warps: matrix loads and other loads from shared memory "
             "are gone.",
             "whyfast", "Aim of this rung", NULL,
             "shared_load_instructions + shared_matrix_load_instructions = 0 AND "
             "prev_shared_matrix_load_instructions > 0"},
            {"The tensor pipe is busy for fewer cycles (here: at most 0.7 of them; mma.sync "
             "reaches two thirds of the rate of wgmma).",
             "whyfast", "Aim of this rung", NULL,
             "tensor_pipe_cycles <= 0.7 * prev_tensor_pipe_cycles"},
            {"wgmma reads shared memory less often than ldmatrix (here: at most 0.8 of the "
             "wavefronts).",
             "whyfast", "Aim of this rung", NULL,
             "wgmma_wavefronts_hw <= 0.8 * prev_shared_matrix_load_wavefronts"},
            {"wgmma is faster than mma.sync.", "whyfast", "Aim of this rung", "4096x4096x4096",
             "faster"},
        },
    .refuses = refuse_wgmma,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
