/*
 * Planted: four-way bank conflicts. The slots of a warp's lanes in shared memory are 4 words apart,
 * so four lanes each share a bank.
 *
 * The distance is an argument of the kernel: instructions, grid, shared memory and registers are
 * those of the previous rung. Only the wavefronts of an access change: there are four times as
 * many.
 */
#include "bank_conflicts.h"

static double excess_wavefronts(const struct point *point, unsigned)
{
    return conflicts_excess(point, 4);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Slots 4 words apart: 4-way bank conflicts",
    .after = "01_no_bank_conflicts",
    .suffers = "The previous rung has no such problem: its lanes use 32 different banks.",
    .changes = "The lanes of a warp have slots 4 words apart.",
    .pays = "Each store and each load takes four wavefronts.",
    .claims =
        {
            {"Every access is a four-way conflict; before there was none.", "planted",
             "bank_conflicts.h", NULL,
             "shared_excess_wavefronts = 3 * prev_shared_wavefronts AND "
             "prev_shared_excess_wavefronts = 0"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "bank_conflicts.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The kernel waits for the pipe to shared memory, so it takes at least half as long "
             "again.",
             "planted", "bank_conflicts.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse,
    .plan = plan_by<conflicts_plan, 4>,
    .excess_wavefronts = excess_wavefronts,
};
