/*
 * Planted: extra launches. Each of eight launches advances an eighth of the words, and begins when
 * the one before it has ended.
 *
 * The kernel is that of the previous rung. There are as many blocks in all, and each has the same
 * work.
 */
#include "launches.h"

static unsigned launch_many(const struct point *)
{
    return LAUNCHES_MANY;
}

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    launches_plan(work, index, LAUNCHES_MANY, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Eight launches",
    .after = "27_one_launch",
    .suffers = "The previous rung has no such problem: there is one launch.",
    .changes = "Each launch advances an eighth of the words.",
    .pays = "Between two launches the device is idle.",
    .claims =
        {
            {"There are eight launches; before, there was one.", "planted", "launches.h", NULL,
             "launches = 8 AND prev_launches = 1"},
            {"Nothing else differs: the instructions, blocks and registers are as many.", "planted",
             "launches.h", NULL,
             "warp_instructions = prev_warp_instructions AND blocks = prev_blocks AND registers = "
             "prev_registers AND blocks_per_sm = prev_blocks_per_sm"},
            {"The kernels take at least a tenth longer.", "planted", "launches.h", NULL,
             "speedup_prev_high < 1 / 1.1"},
        },
    .refuses = causes_refuse,
    .launch_count = launch_many,
    .plan = plan,
};
