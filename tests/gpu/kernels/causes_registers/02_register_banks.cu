/*
 * Planted: conflicts in the banks of the register file. All three operands of every other multiply-
 * add are in even registers, or all in odd ones, so the instruction reads one bank three times.
 *
 * Two factors that are equal were exchanged. The instructions, their order, their results and the
 * number of registers are those of the previous rung.
 */
#include "multiply_adds.h"

VARIANT_DEFINITION = {
    PLANTED("Three operands in one bank", "01_two_banks",
            "A product takes the one of two equal factors that is in the same bank."),
    .claims = {CLAIM("The dispatcher holds warps back more often.",
                     "stall_dispatch_stall > 1.2 * prev_stall_dispatch_stall"),
               NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.05)},
    .refuses = adds_refuse,
    .plan = plan_by<adds_plan, adds_products<true>>,
};
