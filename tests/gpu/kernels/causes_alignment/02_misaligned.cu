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
    PLANTED("Words that are 4 bytes off", "01_aligned",
            "The first word lies 4 bytes behind the beginning of a sector."),
    .claims = {CLAIM("A read of a warp touches a sector more.",
                     "sectors_per_request = 5 AND prev_sectors_per_request = 4"),
               NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.1)},
    .refuses = alignment_refuse,
    .plan = plan_by<alignment_plan, 1>,
};
