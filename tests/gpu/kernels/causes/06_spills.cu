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
    PLANTED("At most 32 registers: spills", "05_registers",
            "The compiler is told to make room for eight blocks per SM, and achieves it by "
            "spilling; the launch still has one."),
    .claims =
        {CLAIM("Registers are spilled; before, none were.",
               "local_bytes > 0 AND prev_local_bytes = 0 AND local_sectors > 0 AND "
               "prev_local_sectors = 0"),
         CLAIM("There are far fewer registers, but no more threads on an SM.",
               "registers <= 32 AND prev_registers > 64 AND blocks_per_sm = prev_blocks_per_sm"),
         TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<spills_plan, causes_many_words<8>>,
};
