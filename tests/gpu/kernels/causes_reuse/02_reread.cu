/*
 * Planted: words are read again from device memory. A thread reads all of its words before it reads
 * the first again; meanwhile the L2 cache has had to make room for others.
 *
 * The length of a run is an argument of the kernel: instructions, grid and registers are those of
 * the previous rung, and every thread reads the same words.
 */
#include "reuse.h"

static void plan(const struct work *work, unsigned, struct launch *launch)
{
    reuse_plan(work, launch, reuse_log2_words_per_thread(work->point.shape.dim[0]));
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Read again after all others",
    .after = "01_near",
    .suffers = "The previous rung has no such problem: device memory delivers each word once.",
    .changes = "A thread reads all of its words, and then all of them again.",
    .pays = "Device memory delivers each word twice.",
    .claims =
        {
            {"Device memory delivers almost all words twice; before, it delivered them once.",
             "planted", "reuse.h", NULL,
             "dram_read_per_useful_byte > 1.7 AND prev_dram_read_per_useful_byte < 1.2"},
            {"Reads are coalesced in both.", "planted", "reuse.h", NULL,
             "sectors_per_request = 4 AND prev_sectors_per_request = 4"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "reuse.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The kernel needs device memory, so it takes at least half as long again.", "planted",
             "reuse.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = reuse_refuse,
    .plan = plan,
};
