/*
 * Planted: atomic additions to one word in global memory. All warps add to the same word, so the L2
 * cache makes their additions one after the other.
 *
 * The distance of the words is an argument of the kernel, here 0: instructions, grid and registers
 * are those of the previous rung, and so is the second launch.
 */
#include "atomics_global.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    atomics_global_plan(work, index, 0, launch);
}

VARIANT_DEFINITION = {
    PLANTED("Global memory: one word for all", "04_word_per_warp", "All warps add to one word."),
    .claims = {CLAIM(
                   "Nothing else differs: the instructions, the reads and the threads on an SM are "
                   "as many.",
                   "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
                   "blocks_per_sm = prev_blocks_per_sm AND global_load_instructions = "
                   "prev_global_load_instructions AND launches = prev_launches"),
               TIMES_AS_LONG(1.5)},
    .refuses = atomics_refuse,
    .launch_count = atomics_global_launches,
    .plan = plan,
};
