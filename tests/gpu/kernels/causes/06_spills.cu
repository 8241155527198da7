/*
 * Planted: register spills. The same kernel, compiled for eight blocks per SM: that leaves 32
 * registers for a thread, and the words that find no room are spilled to local memory, from which
 * each round loads them and to which it stores them.
 *
 * Shared memory that nobody uses holds both rungs to one block per SM, so that the registers that
 * were saved bring no threads. In the machine code of the round the loads and stores of local
 * memory are the only instructions that were added.
 */
#include "spills.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    spills_plan(work, (const void *)causes_many_words<8>, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "At most 32 registers: spills",
    .after = "05_registers",
    .suffers = "Nothing: all words stay in registers.",
    .changes = "The compiler is told to make room for eight blocks per SM, which it gets by "
               "spilling; the launch has one all the same.",
    .pays = "Loads and stores of local memory in each round.",
    .claims =
        {
            {"Registers are spilled, where none were.", "planted", "spills.h", NULL,
             "local_bytes > 0 AND prev_local_bytes = 0 AND local_sectors > 0 AND "
             "prev_local_sectors = 0"},
            {"Far fewer registers, and yet no more threads on an SM.", "planted", "spills.h", NULL,
             "registers <= 32 AND prev_registers > 64 AND blocks_per_sm = prev_blocks_per_sm"},
            {"Local memory is what it costs: the kernel is at least half as slow again.", "planted",
             "spills.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse_small_shared,
    .launch_count = launch_once,
    .plan = plan,
};
