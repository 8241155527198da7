/*
 * Planted: a modulo by a variable. The divisor is a power of two, but the compiler does not know
 * it, and divides: it computes a reciprocal in floating point, multiplies, and corrects the result.
 *
 * The words, the divisors and the results are those of the previous rung. Only the operation
 * differs.
 */
#include "remainders.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Modulo by a variable",
    .after = "01_mask",
    .suffers = "The previous rung has no such problem: a remainder takes two instructions.",
    .changes = "The remainder is computed by a division.",
    .pays = "A remainder takes some twenty instructions.",
    .claims =
        {
            {"There are far more instructions.", "planted", "remainders.h", NULL,
             "warp_instructions > 2 * prev_warp_instructions"},
            {"Nothing else differs: the reads, the sectors and the threads on an SM are as many.",
             "planted", "remainders.h", NULL,
             "global_load_instructions = prev_global_load_instructions AND sectors_per_request = "
             "prev_sectors_per_request AND grid_blocks = prev_grid_blocks AND blocks_per_sm = "
             "prev_blocks_per_sm"},
            {"The kernel needs issue slots, so it takes at least half as long again.", "planted",
             "remainders.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = remainders_refuse,
    .plan = plan_by<remainders_plan, remainders_sum<true>>,
};
