/*
 * Cell 3 of the grid: conflict-free.
 *
 * In the base a thread has 8 adjacent columns, so neighbouring lanes read words of B that are 8
 * apart: 16 words from 4 banks. Here a warp has 4 x 8 lanes with squares of 4 x 4 elements, four
 * squares per thread, 64 rows or columns apart: the lanes read different banks at the same time.
 *
 * Remaining cost: this technique costs nothing itself; the other costs of the base remain.
 */
#include "grid.h"

#define CELL 0, 1, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Conflict-free",
    .after = "01_base",
    .suffers = "Adjacent lanes read words of B that are 8 apart and share the same banks.",
    .changes = "A warp has 16 x 32 elements of each quarter of the tile, so its lanes read "
               "different banks.",
    .pays = "A wait for each tile and two barriers around it, 4 bytes per lane and instruction, a "
            "detour through registers and bank conflicts in stores of A.",
    .factors = GRID_FACTORS(CELL),
    .claims =
        {
            {"With a warp of 4 x 8 lanes the reads of shared memory no longer have bank conflicts.",
             "GEMM double buffering notes", "Bank conflicts, sgemm_v3", NULL,
             "closed_form_excess_reads_a = 0 AND closed_form_excess_reads_b = 0 AND "
             "load_excess_wavefronts < 0.001 * prev_load_excess_wavefronts"},
        },
    GRID_CELL(CELL),
};
