/*
 * Remainders by a mask: all divisors are powers of two, so the remainder is the lower bits of the
 * word.
 */
#include "remainders.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Mask", "The remainder by a power of two is the lower bits."),
    .refuses = remainders_refuse,
    .plan = plan_by<remainders_plan, remainders_sum<false>>,
};
