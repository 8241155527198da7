/*
 * Planted: conflicts in the banks of the register file. All three operands of every other multiply-
 * add are in even registers, or all in odd ones, so the instruction reads one bank three times.
 *
 * Two factors that are equal were exchanged. The instructions, their order, their results and the
 * number of registers are those of the previous rung.
 */
#include "multiply_adds.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Three operands in one bank",
    .after = "01_two_banks",
    .suffers = "The previous rung has no such problem: no bank is read three times.",
    .changes = "A product takes the one of two equal factors that is in the same bank.",
    .pays = "The dispatcher holds every other multiply-add back.",
    .claims =
        {
            {"The dispatcher holds warps back more often.", "planted", "multiply_adds.h", NULL,
             "stall_dispatch_stall > 1.2 * prev_stall_dispatch_stall"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "multiply_adds.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The kernel needs the dispatcher, so it takes at least a twentieth longer.", "planted",
             "multiply_adds.h", NULL, "speedup_prev_high < 1 / 1.05"},
        },
    .refuses = adds_refuse,
    .plan = plan_by<adds_plan, adds_products<true>>,
};
