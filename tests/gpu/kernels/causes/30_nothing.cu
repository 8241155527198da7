/*
 * Planted: nothing. Kernel, grid and arguments are those of the previous rung, so no cause may be
 * found.
 */
#include "bank_conflicts.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "The same kernel again",
    .after = "29_something",
    .suffers = "The previous rung has no problem that this one lacks.",
    .changes = "Nothing changes.",
    .pays = "Each jump needs a store and a load.",
    .claims =
        {
            {"Nothing differs: the instructions, wavefronts and threads on an SM are as many.",
             "planted", "bank_conflicts.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm AND shared_wavefronts = prev_shared_wavefronts"},
            {"The rungs are equally fast.", "planted", "bank_conflicts.h", NULL,
             "abs(speedup_prev - 1) < 0.05"},
        },
    .refuses = causes_refuse,
    .plan = plan_by<conflicts_plan, 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
