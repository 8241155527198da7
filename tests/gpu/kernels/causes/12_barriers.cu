/*
 * Planted: barriers. The block meets after every round, and in each round one warp has work: the
 * others wait for it, so that the work of a block's 16 warps is done one warp after the other.
 *
 * The barrier is the only instruction that was added. How much work a warp has, and in which round,
 * is as in the rung before.
 */
#include "barriers.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    barriers_plan(work, (const void *)causes_turns<true>, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "A barrier in each round",
    .after = "11_no_barriers",
    .suffers = "Nothing: each warp goes on.",
    .changes = "The block meets at the end of every round.",
    .pays = "Fifteen warps wait for one.",
    .claims =
        {
            {"The loop has a barrier, where it had none.", "planted", "barriers.h", NULL,
             "sass_loop_barriers > 0 AND prev_sass_loop_barriers = 0"},
            {"Warps wait at it, where none did.", "planted", "barriers.h", NULL,
             "stall_barrier > 0 AND prev_stall_barrier = 0"},
            {"As many threads on an SM.", "planted", "barriers.h", NULL,
             "blocks_per_sm = prev_blocks_per_sm"},
            {"Waiting is what it costs: the kernel is at least half as slow again.", "planted",
             "barriers.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse,
    .launch_count = launch_once,
    .plan = plan,
};
