/*
 * Planted: blocks of unequal work. Of two blocks, one has three quarters of their tiles and the
 * other a quarter, so half of the SMs have no work for two thirds of the time.
 *
 * The share is an argument of the kernel. The amount of work, the kernel and the grid are those of
 * the previous rung.
 */
#include "unequal_blocks.h"

VARIANT_DEFINITION = {
    PLANTED("Every other block has three times as much work", "21_equal_blocks",
            "Two blocks share their tiles as three to one."),
    .claims =
        {CLAIM("An SM is busy for two thirds of the time; before, for almost all of it.",
               "sm_coverage_pct < 75 AND prev_sm_coverage_pct > 90"),
         CLAIM("There is one wave of blocks.", "waves <= 1 AND prev_waves = waves"),
         CLAIM(
             "Nothing else differs: the instructions and the threads on an SM are as many.",
             "abs(warp_instructions - prev_warp_instructions) < 0.001 * prev_warp_instructions AND "
             "registers = prev_registers AND blocks_per_sm = 1 AND prev_blocks_per_sm = 1"),
         TIMES_AS_LONG(1.3)},
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<pairs_plan, 3>,
};
