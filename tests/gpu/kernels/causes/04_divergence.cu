/*
 * Planted: branch divergence. Half of the words of a warp are of one kind and half of the other, so
 * the warp walks both paths, each with half of its lanes.
 *
 * An argument of the kernel determines a warp's words: instructions, grid and registers are those
 * of the previous rung, the same words take the same paths, and a warp reads 4 sectors in both.
 */
#include "divergence.h"

VARIANT_DEFINITION = {
    PLANTED("Half of each warp takes the other path: divergence", "03_uniform_branch",
            "A warp has 16 words of one kind and 16 of the other."),
    .claims =
        {CLAIM("Warps diverge; before, none did.",
               "branch_efficiency_pct < 100 AND prev_branch_efficiency_pct = 100"),
         CLAIM("On average half of the lanes are active; before, all were.",
               "warp_execution_efficiency_pct < 60 AND prev_warp_execution_efficiency_pct > 95"),
         CLAIM("Reads stay coalesced, and as many threads fit on an SM.",
               "sectors_per_request = prev_sectors_per_request AND registers = "
               "prev_registers AND blocks_per_sm = prev_blocks_per_sm"),
         TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse,
    .plan = plan_by<divergence_plan, 4>,
};
