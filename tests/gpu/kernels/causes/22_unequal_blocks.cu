/*
 * Planted: blocks of unequal work. Of two blocks, one has three quarters of their tiles and the
 * other a quarter, so half of the SMs have no work for two thirds of the time.
 *
 * The share is an argument of the kernel. The amount of work, the kernel and the grid are those of
 * the previous rung.
 */
#include "unequal_blocks.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Every other block has three times as much work",
    .after = "21_equal_blocks",
    .suffers = "The previous rung has no such problem: all SMs end together.",
    .changes = "Two blocks share their tiles as three to one.",
    .pays = "The kernel takes as long as its largest blocks.",
    .claims =
        {
            {"An SM is busy for two thirds of the time; before, for almost all of it.", "planted",
             "unequal_blocks.h", NULL, "sm_coverage_pct < 75 AND prev_sm_coverage_pct > 90"},
            {"There is one wave of blocks.", "planted", "unequal_blocks.h", NULL,
             "waves <= 1 AND prev_waves = waves"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "unequal_blocks.h", NULL,
             "abs(warp_instructions - prev_warp_instructions) < 0.001 * prev_warp_instructions AND "
             "registers = prev_registers AND blocks_per_sm = 1 AND prev_blocks_per_sm = 1"},
            {"The kernel takes at least three tenths longer.", "planted", "unequal_blocks.h", NULL,
             "speedup_prev_high < 1 / 1.3"},
        },
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<pairs_plan, 3>,
};
