/*
 * Planted: bank conflicts of ldmatrix. The rows in shared memory are 32 words apart, so the 8 rows
 * of a matrix are in the same four banks.
 *
 * The distance is an argument of the kernel: instructions, grid, shared memory and registers are
 * those of the previous rung. Only the wavefronts of a read change: there are eight times as many.
 */
#include "matrices.h"

VARIANT_DEFINITION = {
    PLANTED("Rows 32 words apart: 8-way bank conflicts", "01_padded_rows",
            "The rows in shared memory are not padded."),
    .claims = {CLAIM("Each of the 256 reads of a warp takes 32 wavefronts; before, it took "
                     "four. Its eight stores take one each.",
                     "shared_wavefronts = grid_blocks * 8 * (256 * 32 + 8) AND "
                     "prev_shared_wavefronts = grid_blocks * 8 * (256 * 4 + 8)"),
               NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.5)},
    .refuses = matrices_refuse,
    .plan = plan_by<matrices_plan, MATRICES_COLUMNS>,
};
