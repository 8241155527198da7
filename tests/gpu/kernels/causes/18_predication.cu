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
    PLANTED("Half of each warp works in the other round: predication", "17_packed_lanes",
            "A warp has 16 words of one kind and 16 of the other."),
    .claims =
        {CLAIM("On average almost half of the lanes are off; before, almost none were.",
               "predicated_on_pct < 65 AND prev_predicated_on_pct > 95"),
         CLAIM("No warp diverges.",
               "branch_efficiency_pct = 100 AND prev_branch_efficiency_pct = 100 AND "
               "warp_execution_efficiency_pct > 99 AND prev_warp_execution_efficiency_pct > 99"),
         CLAIM("Reads stay coalesced, and as many threads fit on an SM.",
               "sectors_per_request = prev_sectors_per_request AND registers = "
               "prev_registers AND blocks_per_sm = prev_blocks_per_sm"),
         TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse,
    .plan = plan_by<predication_plan, 4>,
};
