/*
 * Cell 1 of the grid: two stages, plain rows.
 *
 * This is rung 6 of the ladder gemm_tensor with rows as they are. One slice is in flight while one
 * is multiplied.
 *
 * Remaining cost: the eight rows of a matrix are in the same banks, so each read takes eight times
 * as many wavefronts as without conflicts.
 */
#include "grid.h"

#define CELL 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Two stages, plain rows",
    .suffers =
        "Tiles must be multiplied through shared memory, with copies that bypass the registers.",
    .changes =
        "Two stages: one slice is in flight while one is multiplied. Rows are stored as they are.",
    .pays = "Bank conflicts in reads; a copy may take no longer than the products of a slice.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
