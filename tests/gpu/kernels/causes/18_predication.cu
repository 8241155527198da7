/*
 * Planted: lanes that are switched off by a predicate. Half of the words of a warp are of one kind
 * and half of the other, so the warp goes through both rounds, each with half of its lanes on.
 *
 * An argument of the kernel determines a warp's words: machine code, grid and registers are those
 * of the previous rung, the same words take the same steps, and a warp reads 4 sectors in both. A
 * warp takes every branch as a whole.
 */
#include "predication.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Half of each warp works in the other round: predication",
    .after = "17_packed_lanes",
    .suffers = "The previous rung has no such problem: all lanes are on.",
    .changes = "A warp has 16 words of one kind and 16 of the other.",
    .pays = "There are twice as many warp instructions, with half of the lanes on.",
    .claims =
        {
            {"On average almost half of the lanes are off; before, almost none were.", "planted",
             "predication.h", NULL, "predicated_on_pct < 65 AND prev_predicated_on_pct > 95"},
            {"No warp diverges.", "planted", "predication.h", NULL,
             "branch_efficiency_pct = 100 AND prev_branch_efficiency_pct = 100 AND "
             "warp_execution_efficiency_pct > 99 AND prev_warp_execution_efficiency_pct > 99"},
            {"Reads stay coalesced, and as many threads fit on an SM.", "planted", "predication.h",
             NULL,
             "sectors_per_request = prev_sectors_per_request AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The kernel needs issue slots, so it takes at least half as long again.", "planted",
             "predication.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse,
    .plan = plan_by<predication_plan, 4>,
};
