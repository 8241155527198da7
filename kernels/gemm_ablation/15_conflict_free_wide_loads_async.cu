/*
 * Cell 15 of the grid: all but double buffer.
 *
 * Reads are wide and free of bank conflicts, and copies bypass the registers; but each tile is
 * waited for before it is multiplied.
 */
#include "grid.h"

#define CELL 0, 1, 1, 1

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "All but double buffer",
    .after = "01_base",
    .suffers =
        "Adjacent lanes read words of B that are 8 apart and share the same banks. Every load and "
        "every store moves 4 bytes. Data from global to shared memory pass through registers.",
    .changes = "A warp has 16 x 32 elements of each quarter of the tile, so its lanes read "
               "different banks. Loads, stores and reads of shared memory move 16 bytes at a time "
               "where they can. cp.async copies directly into shared memory.",
    .pays = "A wait for each tile and two barriers around it, copies of A word by word and bank "
            "conflicts in copies of A.",
    .factors = GRID_FACTORS(CELL),
    GRID_CELL(CELL),
};
