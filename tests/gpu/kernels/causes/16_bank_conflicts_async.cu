/*
 * Planted: bank conflicts by asynchronous copies. The lanes of a copy have slots 32 words apart,
 * all in one bank.
 *
 * The distance is an argument of the kernel: instructions, grid, shared memory and registers are
 * those of the previous rung. Loads of the slots are free of conflicts in both. Only the wavefronts
 * in which copies write shared memory change: there are 32 times as many.
 */
#include "async_conflicts.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Asynchronous copies to slots 32 words apart: 32-way bank conflicts",
    .after = "15_padded_copies",
    .suffers =
        "The previous rung has no such problem: the lanes of a copy write to 32 different banks.",
    .changes = "The tile in shared memory is not padded.",
    .pays = "Each copy takes 32 wavefronts.",
    .claims =
        {
            {"Every copy is a 32-way conflict; before there was none.", "planted",
             "async_conflicts.h", NULL,
             "shared_async_wavefronts = 32 * shared_async_instructions AND "
             "prev_shared_async_wavefronts = prev_shared_async_instructions"},
            {"Loads of shared memory do not conflict.", "planted", "async_conflicts.h", NULL,
             "load_excess_wavefronts = 0 AND prev_load_excess_wavefronts = 0"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "async_conflicts.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The copies keep shared memory busy, so the kernel takes at least half as long again.",
             "planted", "async_conflicts.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse_copies,
    .plan = plan_by<async_plan, CAUSES_TILE>,
    .excess_wavefronts = no_excess_wavefronts,
};
