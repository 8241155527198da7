/*
 * Planted: register spills. The same kernel, compiled for eight blocks per SM: that leaves 32
 * registers for a thread; the remaining words are spilled to local memory, and each round loads and
 * stores them there.
 *
 * Unused shared memory limits both rungs to one block per SM, so the saved registers bring no more
 * threads. In the machine code of the round, only loads and stores of local memory were added.
 */
#include "spills.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "At most 32 registers: spills",
    .after = "05_registers",
    .suffers = "The previous rung has no such problem: all words stay in registers.",
    .changes = "The compiler is told to make room for eight blocks per SM, and achieves it by "
               "spilling; the launch still has one.",
    .pays = "Each round loads and stores local memory.",
    .claims =
        {
            {"Registers are spilled; before, none were.", "planted", "spills.h", NULL,
             "local_bytes > 0 AND prev_local_bytes = 0 AND local_sectors > 0 AND "
             "prev_local_sectors = 0"},
            {"There are far fewer registers, but no more threads on an SM.", "planted", "spills.h",
             NULL,
             "registers <= 32 AND prev_registers > 64 AND blocks_per_sm = prev_blocks_per_sm"},
            {"The cost is local memory: the kernel takes at least half as long again.", "planted",
             "spills.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<spills_plan, causes_many_words<8>>,
};
