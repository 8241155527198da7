/*
 * Rung 5: swizzled rows.
 *
 * This is rung 4 without padding. Instead the 16-byte pieces of a row are permuted: piece p of row
 * r is stored in place p xor r % 8, within 128 bytes. The eight rows of a matrix are again in
 * different banks, and so are eight neighbouring pieces of a row, which eight threads copy.
 *
 * Remaining cost: addresses need an xor. While a slice is brought, no warp multiplies, and at each
 * step the products wait for their fragments.
 */
#include "mma_tile.h"

typedef mma_scheme<ROWS_SWIZZLED, READ_MATRICES, COPY_LOADS, 1> scheme;

static __global__ void __launch_bounds__(THREADS, 1)
    gemm_tensor_swizzled(const bfloat16 *a, const bfloat16 *b, float *c, unsigned m, unsigned n,
                         unsigned k)
{
    compute_tile<multiply_in_turn<scheme>>({a, b, m, n, k}, c);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Swizzled rows",
    .after = "04_padded",
    .suffers = "Padding spends shared memory on bytes that nobody reads.",
    .changes =
        "Rows are as long as their elements; piece p of row r is stored in place p xor r % 8.",
    .pays = "Addresses need an xor. Each slice is waited for between two barriers.",
    .claims =
        {
            {"Swizzling removes the conflicts that padding removes.", "whyfast", "Aim of this rung",
             NULL, "matrix_excess_wavefronts = 0 AND prev_matrix_excess_wavefronts = 0"},
            {"A permuted layout of shared memory avoids the bank conflicts of ldmatrix and of the "
             "stores.",
             "spatters.ca, Tensor Core matmul on Ada", "Permuted shared memory", NULL,
             "shared_excess_wavefronts = 0"},
        },
    .refuses = refuse_mma,
    .plan = plan_by<plan_mma<scheme>, gemm_tensor_swizzled>,
    .shared_accesses = list_by<describe_mma<scheme>>,
};
