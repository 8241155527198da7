/*
 * Planted: a last wave that is almost empty. There is one block more than two for each SM. It
 * starts when the others have ended, and works alone.
 *
 * The number of blocks is a launch parameter. The amount of work and the kernel are those of the
 * previous rung; a block has a little less of it.
 */
#include "last_wave.h"

VARIANT_DEFINITION = {
    PLANTED("Two full waves and one block", "23_full_waves",
            "There is one block more, and each has a little less work."),
    .claims =
        {CLAIM(
             "The third wave is one block; before, two waves were full.",
             "prev_waves = 2 AND waves > 2 AND waves < 2.1 AND grid_blocks = prev_grid_blocks + 1"),
         CLAIM("An SM is busy for two thirds of the time; before, for almost all of it.",
               "sm_coverage_pct < 75 AND prev_sm_coverage_pct > 90"),
         CLAIM(
             "Nothing else differs: the instructions and the threads on an SM are as many.",
             "abs(warp_instructions - prev_warp_instructions) < 0.001 * prev_warp_instructions AND "
             "registers = prev_registers AND blocks_per_sm = 1 AND prev_blocks_per_sm = 1"),
         TIMES_AS_LONG(1.3)},
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<waves_plan, 1>,
};
