/*
 * Planted: atomic additions to one word in shared memory. All threads of a block add to the same
 * word, so the lanes of a warp take turns.
 *
 * The distances of the words are arguments of the kernel, here 0: instructions, grid, shared memory
 * and registers are those of the first rung.
 */
#include "atomics_shared.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Shared memory: one word for all",
    .after = "01_word_per_lane",
    .suffers = "The first rung has no such problem: no two threads use the same word.",
    .changes = "All threads of a block add to one word.",
    .pays = "The additions to the word are made one after the other.",
    .claims =
        {
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "atomics_shared.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The kernel waits for shared memory, so it takes at least half as long again.",
             "planted", "atomics_shared.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = atomics_refuse,
    .plan = plan_by<atomics_shared_plan, 0, 0>,
};
