/*
 * Cell 4 of the grid: ldmatrix.
 *
 * In the base a lane reads 16 words of A and 32 halves of words of B at each step. Here ldmatrix
 * does so with eight instructions, each for four matrices, and transposes those of B.
 *
 * Remaining cost: the rows of a matrix are in the same banks, so the wavefronts of the reads are as
 * many as before.
 */
#include "grid.h"

#define CELL 0, 0, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "ldmatrix",
    .after = "01_base",
    .suffers =
        "Each lane reads its own elements: words of A, and halves of words of B from two rows.",
    .changes = "ldmatrix reads four matrices of 8 x 8 elements in one instruction.",
    .pays = "A wait for each slice, with two barriers around it, bank conflicts in reads and a "
            "detour through registers.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    .claims =
        {
            {"ldmatrix needs one instruction for six reads of lanes.", "whyfast",
             "Aim of this cell", NULL,
             "prev_shared_load_instructions = 6 * (shared_instructions - "
             "shared_store_instructions)"},
            {"It does not remove bank conflicts: the reads take as many wavefronts.", "whyfast",
             "Aim of this cell", NULL,
             "closed_form_matrix_wavefronts = prev_closed_form_load_wavefronts AND "
             "matrix_excess_wavefronts = closed_form_excess_wavefronts"},
        },
    GRID_CELL(CELL),
};
