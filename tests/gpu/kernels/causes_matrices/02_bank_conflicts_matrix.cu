/*
 * Planted: bank conflicts of ldmatrix. The rows in shared memory are 32 words apart, so the 8 rows
 * of a matrix are in the same four banks.
 *
 * The distance is an argument of the kernel: instructions, grid, shared memory and registers are
 * those of the previous rung. Only the wavefronts of a read change: there are eight times as many.
 */
#include "matrices.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Rows 32 words apart: 8-way bank conflicts",
    .after = "01_padded_rows",
    .suffers =
        "The previous rung has no such problem: the rows of a matrix are in different banks.",
    .changes = "The rows in shared memory are not padded.",
    .pays = "Each read of four matrices takes 32 wavefronts.",
    .claims =
        {
            {"Each of the 256 reads of a warp takes 32 wavefronts; before, it took four. Its eight "
             "stores take one each.",
             "planted", "matrices.h", NULL,
             "shared_wavefronts = grid_blocks * 8 * (256 * 32 + 8) AND prev_shared_wavefronts = "
             "grid_blocks * 8 * (256 * 4 + 8)"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "matrices.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The kernel waits for shared memory, so it takes at least half as long again.",
             "planted", "matrices.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = matrices_refuse,
    .plan = plan_by<matrices_plan, MATRICES_COLUMNS>,
};
