/*
 * Planted: uncoalesced writes. A warp writes 32 words of a column, each in its own sector.
 *
 * The matrix is symmetric, and so are the results: both rungs read the same words in the same way,
 * and write the same results to the same array. The pitches are arguments of the kernel:
 * instructions, grid and registers are those of the previous rung.
 */
#include "uncoalesced_writes.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Along the columns: uncoalesced writes",
    .after = "13_coalesced_writes",
    .suffers = "The previous rung has no such problem: a warp writes 4 whole sectors.",
    .changes = "Each thread writes its result to the mirrored place, where it is right, too.",
    .pays = "Each write of a warp touches 32 sectors.",
    .claims =
        {
            {"The SMs request far more sectors from the L2 cache.", "planted",
             "uncoalesced_writes.h", NULL, "l2_sm_sectors > 3 * prev_l2_sm_sectors"},
            {"Reads stay coalesced.", "planted", "uncoalesced_writes.h", NULL,
             "sectors_per_request = 4 AND prev_sectors_per_request = 4"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "uncoalesced_writes.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The cost is sectors: the kernel takes at least half as long again.", "planted",
             "uncoalesced_writes.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse,
    .plan = plan_by<writes_plan, 1>,
};
