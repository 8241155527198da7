/*
 * Rung 3: slices in shared memory, rows as they are.
 *
 * A block copies a slice of A and B, 64 deep, into shared memory, 16 bytes per thread and copy, and
 * its eight warps read their fragments from there. ldmatrix brings four matrices of 8 x 8 elements
 * in one instruction, in the arrangement that the tensor cores want: a lane names a row of 16
 * bytes. B is stored by rows of K, so its matrices are transposed on the way.
 *
 * Remaining cost: rows of A are 128 bytes and rows of B 512 bytes apart, so that the eight rows of
 * a matrix are in the same four banks: each read takes 32 wavefronts instead of four.
 */
#include "mma_tile.h"

typedef mma_scheme<ROWS_PLAIN, READ_MATRICES, COPY_LOADS, 1> scheme;

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tensor_shared_rows(const bfloat16 *a, const bfloat16 *b, float *c, unsigned m, unsigned n,
                            unsigned k)
{
    compute_tile<multiply_in_turn<scheme>>({a, b, m, n, k}, c);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Shared memory, plain rows",
    .after = "02_mma_global",
    .suffers =
        "Each warp loads all its factors itself, a few bytes from each of several rows at a time.",
    .changes = "A block copies slices of A and B, 64 deep, into shared memory, and its warps read "
               "four matrices of 8 x 8 at a time by ldmatrix.",
    .pays = "The eight rows of a matrix are in the same four banks: each read takes eight times as "
            "many wavefronts as needed. Each slice is waited for between two barriers.",
    .claims =
        {
            {"An element is loaded once for its block and not by each warp that needs it (here: "
             "at most a fifth of the sectors).",
             "whyfast", "Aim of this rung", NULL,
             "global_load_sectors <= 0.2 * prev_global_load_sectors"},
            {"If rows are stored as they are, the eight rows of a matrix are in the same banks, "
             "and each read takes eight times as many wavefronts as without conflicts.",
             "whyfast", "Aim of this rung", NULL,
             "closed_form_matrix_wavefronts = 8 * closed_form_matrix_ideal AND "
             "matrix_excess_wavefronts = closed_form_excess_wavefronts"},
            {"The kernel is faster.", "whyfast", "Aim of this rung", NULL, "faster"},
        },
    .refuses = refuse_mma,
    .plan = plan_by<plan_mma<scheme>, gemm_tensor_shared_rows>,
    .shared_accesses = list_by<describe_mma<scheme>>,
};
