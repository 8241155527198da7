/*
 * Planted: barriers. The block synchronises after every round, and in each round one warp has work:
 * the others wait for it, so the 16 warps of a block work one after the other.
 *
 * Only the barrier was added. The amount of work of a warp, and its round, are as in the previous
 * rung.
 */
#include "barriers.h"

VARIANT_DEFINITION = {
    PLANTED("A barrier in each round", "11_no_barriers",
            "The block synchronises at the end of every round."),
    .claims = {CLAIM("The loop has a barrier; before, it had none.",
                     "sass_loop_barriers > 0 AND prev_sass_loop_barriers = 0"),
               CLAIM("Warps wait at the barrier; before, none did.",
                     "stall_barrier > 0 AND prev_stall_barrier = 0"),
               CLAIM("As many threads fit on an SM.", "blocks_per_sm = prev_blocks_per_sm"),
               TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse,
    .plan = plan_by<barriers_plan, causes_turns<true>>,
};
