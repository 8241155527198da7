/*
 * Planted: four-way bank conflicts. The slots of a warp's lanes in shared memory are 4 words apart,
 * so that four lanes each meet in a bank.
 *
 * The distance is an argument of the kernel: instructions, grid, shared memory and registers are
 * those of the rung before. Only the wavefronts that an access takes are others, four times as
 * many.
 */
#include "bank_conflicts.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    conflicts_plan(work, 4, launch);
}

static double excess_wavefronts(const struct point *point, unsigned index)
{
    (void)index;
    return conflicts_excess(point, 4);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Slots 4 words apart: 4-way bank conflicts",
    .after = "01_no_bank_conflicts",
    .suffers = "Nothing: its lanes use 32 different banks.",
    .changes = "The lanes of a warp have slots 4 words apart.",
    .pays = "Four wavefronts for each store and each load.",
    .claims =
        {
            {"Every access is a four-way conflict, where there was none.", "planted",
             "bank_conflicts.h", NULL,
             "shared_excess_wavefronts = 3 * prev_shared_wavefronts AND "
             "prev_shared_excess_wavefronts = 0"},
            {"Nothing else differs: as many instructions, as many threads on an SM.", "planted",
             "bank_conflicts.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The pipe to shared memory is what the kernel waits for, so that it is at least half "
             "as slow again.",
             "planted", "bank_conflicts.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse,
    .launch_count = launch_once,
    .plan = plan,
    .excess_wavefronts = excess_wavefronts,
};
