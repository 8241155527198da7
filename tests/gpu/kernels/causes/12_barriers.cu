/*
 * Planted: barriers. The block synchronises after every round, and in each round one warp has work:
 * the others wait for it, so the 16 warps of a block work one after the other.
 *
 * Only the barrier was added. The amount of work of a warp, and its round, are as in the previous
 * rung.
 */
#include "barriers.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "A barrier in each round",
    .after = "11_no_barriers",
    .suffers = "The previous rung has no such problem: no warp waits.",
    .changes = "The block synchronises at the end of every round.",
    .pays = "Fifteen warps wait for one.",
    .claims =
        {
            {"The loop has a barrier; before, it had none.", "planted", "barriers.h", NULL,
             "sass_loop_barriers > 0 AND prev_sass_loop_barriers = 0"},
            {"Warps wait at the barrier; before, none did.", "planted", "barriers.h", NULL,
             "stall_barrier > 0 AND prev_stall_barrier = 0"},
            {"As many threads fit on an SM.", "planted", "barriers.h", NULL,
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The cost is waiting: the kernel takes at least half as long again.", "planted",
             "barriers.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse,
    .plan = plan_by<barriers_plan, causes_turns<true>>,
};
