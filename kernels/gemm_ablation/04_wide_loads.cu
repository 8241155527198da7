/*
 * Cell 4 of the grid: wide loads.
 *
 * The base moves 4 bytes per lane and instruction. Here loads from global memory, stores of B and
 * of C, and the reads of both tiles move 16. A is transposed on its way into shared memory, so its
 * stores remain single words. This is the source's kernel 6.
 *
 * Remaining cost: bank conflicts in reads of B, and a wait for every tile.
 */
#include "grid.h"

#define CELL 0, 0, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Wide loads",
    .after = "01_base",
    .suffers = "Every load and every store moves 4 bytes.",
    .changes = "Loads, stores and reads of shared memory move 16 bytes at a time where they can.",
    .pays = "A wait for each tile and two barriers around it, bank conflicts in reads of B, a "
            "detour through registers and bank conflicts in stores of A.",
    .factors = GRID_FACTORS(CELL),
    .claims =
        {
            {"A warp reads only 16 words of A, from 16 banks, so these reads have no bank "
             "conflicts.",
             "GEMM double buffering notes", "Bank conflicts", NULL,
             "closed_form_excess_reads_a = 0 AND load_excess_wavefronts <= 1.001 * "
             "closed_form_excess_reads_b"},
            {"Reads of B have bank conflicts, because threads at a distance of four read the same "
             "eight banks.",
             "GEMM double buffering notes", "Bank conflicts", NULL,
             "closed_form_excess_reads_b > 0 AND load_excess_wavefronts >= 0.999 * "
             "closed_form_excess_reads_b"},
        },
    GRID_CELL(CELL),
};
