/*
 * Planted: uncoalesced reads. A warp reads 32 words of a column, each in its own sector; blocks
 * that run elsewhere and at other times read the other seven words of a sector, so each sector is
 * fetched eight times.
 *
 * The matrix is symmetric: both rungs read the same words and write the same results in the same
 * way to the same places. The pitches are arguments of the kernel: instructions, grid and registers
 * are those of the previous rung.
 */
#include "uncoalesced.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Along the columns: uncoalesced reads",
    .after = "07_coalesced",
    .suffers = "The previous rung has no such problem: a warp reads 4 whole sectors.",
    .changes = "Each thread reads the mirrored word, which has the same value.",
    .pays = "Each read of a warp touches 32 sectors.",
    .claims =
        {
            {"Each lane reads its own sector; before, eight lanes shared one.", "planted",
             "uncoalesced.h", NULL, "sectors_per_request = 32 AND prev_sectors_per_request = 4"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "uncoalesced.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The cost is sectors: the kernel takes at least half as long again.", "planted",
             "uncoalesced.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse,
    .plan = plan_by<uncoalesced_plan, 0, 1>,
};
