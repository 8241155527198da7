/*
 * Planted: uncoalesced asynchronous copies. A warp copies 32 words of a column, each from its own
 * cache line; the words of each line are written to shared memory by themselves, so each copy takes
 * 32 wavefronts there, without a conflict of banks.
 *
 * The matrix is symmetric: both rungs copy the same words and write the same results in the same
 * way to the same places. The pitches are arguments of the kernel: instructions, grid and registers
 * are those of the previous rung.
 */
#include "uncoalesced.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Copies along the columns: uncoalesced",
    .after = "31_copied_rows",
    .suffers = "The previous rung has no such problem: a warp copies 4 whole sectors.",
    .changes = "Each thread copies the mirrored word, which has the same value.",
    .pays = "Each copy of a warp touches 32 sectors in 32 lines.",
    .claims =
        {
            {"Each lane copies from its own sector; before, eight lanes shared one.", "planted",
             "uncoalesced.h", NULL,
             "async_sectors = 32 * shared_async_instructions AND prev_async_sectors = 4 * "
             "prev_shared_async_instructions"},
            {"All excess wavefronts are due to the lines.", "planted", "uncoalesced.h", NULL,
             "line_wavefronts = 31 * shared_async_instructions AND conflict_wavefronts = 0 AND "
             "prev_shared_excess_wavefronts = 0"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "uncoalesced.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The cost is wavefronts: the kernel takes at least half as long again.", "planted",
             "uncoalesced.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse_copies,
    .plan = plan_by<uncoalesced_plan, 1, 1>,
};
