/*
 * Cell 3 of the grid: swizzle.
 *
 * In the base the rows of a slice begin in the same bank. A read of A takes a word from each of
 * eight rows, four lanes to a row: eight wavefronts. A read of B takes 16 bytes from each of four
 * rows: four wavefronts. Here the pieces of a row are permuted by its number, and each read takes
 * one.
 *
 * Remaining cost: an xor for addresses; the other costs of the base remain.
 */
#include "grid.h"

#define CELL 0, 1, 0, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Swizzle",
    .after = "01_base",
    .suffers = "Reads take a piece from each of several rows, which begin in the same bank.",
    .changes = "The pieces of a row are permuted by its number, so reads of several rows find "
               "different banks.",
    .pays = "A wait for each slice, with two barriers around it, six reads instead of one and a "
            "detour through registers.",
    .full_only = 1,
    .factors = GRID_FACTORS(CELL),
    .claims =
        {
            {"With permuted pieces the reads of shared memory no longer have bank conflicts, and "
             "the stores still have none.",
             "whyfast", "Aim of this cell", NULL,
             "closed_form_excess_reads_a = 0 AND closed_form_excess_reads_b = 0 AND "
             "load_excess_wavefronts = 0 AND store_excess_wavefronts = 0 AND "
             "prev_load_excess_wavefronts > 0"},
        },
    GRID_CELL(CELL),
};
