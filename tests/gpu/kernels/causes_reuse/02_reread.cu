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
    PLANTED("Read again after all others", "01_near",
            "A thread reads all of its words, and then all of them again."),
    .claims = {CLAIM(
                   "Device memory delivers almost all words twice; before, it delivered them once.",
                   "dram_read_per_useful_byte > 1.7 AND prev_dram_read_per_useful_byte < 1.2"),
               CLAIM("Reads are coalesced in both.",
                     "sectors_per_request = 4 AND prev_sectors_per_request = 4"),
               NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.5)},
    .refuses = reuse_refuse,
    .plan = plan,
};
