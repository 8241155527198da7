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
    PLANTED("Eight launches", "27_one_launch", "Each launch advances an eighth of the words."),
    .claims = {CLAIM("There are eight launches; before, there was one.",
                     "launches = 8 AND prev_launches = 1"),
               CLAIM("Nothing else differs: the instructions, blocks and registers are as many.",
                     "warp_instructions = prev_warp_instructions AND blocks = prev_blocks AND "
                     "registers = prev_registers AND blocks_per_sm = prev_blocks_per_sm"),
               TIMES_AS_LONG(1.1)},
    .refuses = causes_refuse,
    .launch_count = launch_many,
    .plan = plan,
};
