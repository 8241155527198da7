/*
 * Rung 4: padded rows.
 *
 * This is rung 3 with 16 unused bytes at the end of each row in shared memory. A row begins four
 * banks after the one before, so the eight rows of a matrix are in different banks.
 *
 * Remaining cost: 3 KiB of the 51 KiB of a slice are unused.
 */
#include "mma_tile.h"

typedef mma_scheme<ROWS_PADDED, READ_MATRICES, COPY_LOADS, 1> scheme;

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tensor_padded(const bfloat16 *a, const bfloat16 *b, float *c, unsigned m, unsigned n,
                       unsigned k)
{
    compute_tile<multiply_in_turn<scheme>>({a, b, m, n, k}, c);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Padded rows",
    .after = "03_shared_rows",
    .suffers = "The eight rows of a matrix are in the same four banks.",
    .changes = "Each row in shared memory has 16 unused bytes at its end, so the next row begins "
               "four banks further.",
    .pays = "Shared memory is spent on bytes that nobody reads. Each slice is waited for between "
            "two barriers.",
    .claims =
        {
            {"Padding removes the bank conflicts of ldmatrix.", "whyfast", "Aim of this rung", NULL,
             "matrix_excess_wavefronts = 0 AND prev_matrix_excess_wavefronts > 0"},
            {"The kernel is faster.", "whyfast", "Aim of this rung", NULL, "faster"},
        },
    .refuses = refuse_mma,
    .plan = plan_by<plan_mma<scheme>, gemm_tensor_padded>,
    .shared_accesses = list_by<describe_mma<scheme>>,
};
