/*
 * Planted: nothing. Kernel, grid and arguments are those of the previous rung, so no cause may be
 * found.
 */
#include "bank_conflicts.h"

VARIANT_DEFINITION = {
    PLANTED("The same kernel again", "29_something", "Nothing changes."),
    .claims =
        {CLAIM("Nothing differs: the instructions, wavefronts and threads on an SM are as many.",
               "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
               "blocks_per_sm = prev_blocks_per_sm AND shared_wavefronts = prev_shared_wavefronts"),
         CLAIM("The rungs are equally fast.", "abs(speedup_prev - 1) < 0.05")},
    .refuses = causes_refuse,
    .plan = plan_by<conflicts_plan, 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
