/*
 * Planted: a modulo by a variable. The divisor is a power of two, but the compiler does not know
 * it, and divides: it computes a reciprocal in floating point, multiplies, and corrects the result.
 *
 * The words, the divisors and the results are those of the previous rung. Only the operation
 * differs.
 */
#include "remainders.h"

VARIANT_DEFINITION = {
    PLANTED("Modulo by a variable", "01_mask", "The remainder is computed by a division."),
    .claims =
        {CLAIM("There are far more instructions.",
               "warp_instructions > 2 * prev_warp_instructions"),
         CLAIM("Nothing else differs: the reads, the sectors and the threads on an SM are as many.",
               "global_load_instructions = prev_global_load_instructions AND sectors_per_request = "
               "prev_sectors_per_request AND grid_blocks = prev_grid_blocks AND blocks_per_sm = "
               "prev_blocks_per_sm"),
         TIMES_AS_LONG(1.5)},
    .refuses = remainders_refuse,
    .plan = plan_by<remainders_plan, remainders_sum<true>>,
};
