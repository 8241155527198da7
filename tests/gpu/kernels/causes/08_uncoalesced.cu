/*
 * Planted: uncoalesced reads. A warp reads 32 words of a column, each in a sector of its own; the
 * other seven words of a sector are read by blocks that run elsewhere and at other times, so that
 * each sector is fetched eight times.
 *
 * The matrix is symmetric: the words are those of the rung before, and so is what is written, where
 * and how. The pitches are arguments of the kernel: instructions, grid and registers are those of
 * the rung before.
 */
#include "uncoalesced.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    uncoalesced_plan(work, 1, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Along the columns: uncoalesced reads",
    .after = "07_coalesced",
    .suffers = "Nothing: a warp reads 4 whole sectors.",
    .changes = "Each thread reads the mirrored word, which has the same value.",
    .pays = "32 sectors for each read of a warp.",
    .claims =
        {
            {"Each lane reads a sector of its own, where eight shared one.", "planted",
             "uncoalesced.h", NULL, "sectors_per_request = 32 AND prev_sectors_per_request = 4"},
            {"Nothing else differs: as many instructions, as many threads on an SM.", "planted",
             "uncoalesced.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"Sectors are what it costs: the kernel is at least half as slow again.", "planted",
             "uncoalesced.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse,
    .launch_count = launch_once,
    .plan = plan,
};
