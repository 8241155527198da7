/*
 * Cell 4 of the grid: wide loads.
 *
 * The base moves 4 bytes per lane and instruction. Here loads from global memory, stores of B and
 * of C, and the reads of both tiles take 16. A is transposed on its way into shared memory, so that
 * its stores remain single words. This is the source's kernel 6.
 *
 * What it pays: reads of B that collide, and a wait for every tile.
 */
#include "grid.h"

#define CELL 0, 0, 1, 0

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Wide loads",
    .after = "01_base",
    .suffers = "Every load and every store moves 4 bytes.",
    .changes = "Loads, stores and reads of shared memory take 16 bytes at a time where they can.",
    .pays = "A wait for each tile and two barriers around it, reads of B that collide, a detour "
            "through registers and stores of A that collide.",
    .factors = GRID_FACTORS(CELL),
    .declares = GRID_DECLARES("562"),
    .claims =
        {
            {"Reads of B have bank conflicts; reads of A, of which a warp needs only 16 words, "
             "have none.",
             "GEMM double buffering notes", "Bank conflicts", NULL,
             "closed_form_excess_reads_a = 0 AND closed_form_excess_reads_b > 0 AND "
             "abs(load_excess_wavefronts - closed_form_excess_reads_b) <= 0.001 * "
             "closed_form_excess_reads_b"},
        },
    GRID_CELL(CELL),
};
