/*
 * Planted: misaligned reads. They begin one word further, so a warp reads the last 28 bytes
 * of a sector, three whole ones, and the first 4 bytes of a fifth.
 *
 * The address of the words is an argument of the kernel: instructions, grid and registers are those
 * of the previous rung. The words fit into the L2 cache, and all reads bypass the L1 cache, so the
 * fifth sector is fetched again each time.
 */
#include "alignment.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Words that are 4 bytes off",
    .after = "01_aligned",
    .suffers =
        "The previous rung has no such problem: a read touches no more sectors than it needs.",
    .changes = "The first word lies 4 bytes behind the beginning of a sector.",
    .pays = "A read of a warp touches 5 sectors.",
    .claims =
        {
            {"A read of a warp touches a sector more.", "planted", "alignment.h", NULL,
             "sectors_per_request = 5 AND prev_sectors_per_request = 4"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "alignment.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The kernel takes at least a tenth longer.", "planted", "alignment.h", NULL,
             "speedup_prev_high < 1 / 1.1"},
        },
    .refuses = alignment_refuse,
    .plan = plan_by<alignment_plan, 1>,
};
