/*
 * Planted: a last wave that is almost empty. There is one block more than two for each SM. It
 * starts when the others have ended, and works alone.
 *
 * The number of blocks is a launch parameter. The amount of work and the kernel are those of the
 * previous rung; a block has a little less of it.
 */
#include "last_wave.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Two full waves and one block",
    .after = "23_full_waves",
    .suffers = "The previous rung has no such problem: all SMs end together.",
    .changes = "There is one block more, and each has a little less work.",
    .pays = "In the third wave all SMs but one have no work.",
    .claims =
        {
            {"The third wave is one block; before, two waves were full.", "planted", "last_wave.h",
             NULL,
             "prev_waves = 2 AND waves > 2 AND waves < 2.1 AND grid_blocks = prev_grid_blocks + 1"},
            {"An SM is busy for two thirds of the time; before, for almost all of it.", "planted",
             "last_wave.h", NULL, "sm_coverage_pct < 75 AND prev_sm_coverage_pct > 90"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "last_wave.h", NULL,
             "abs(warp_instructions - prev_warp_instructions) < 0.001 * prev_warp_instructions AND "
             "registers = prev_registers AND blocks_per_sm = 1 AND prev_blocks_per_sm = 1"},
            {"The kernel takes at least three tenths longer.", "planted", "last_wave.h", NULL,
             "speedup_prev_high < 1 / 1.3"},
        },
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<waves_plan, 1>,
};
