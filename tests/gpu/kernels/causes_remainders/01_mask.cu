/*
 * Remainders by a mask: all divisors are powers of two, so the remainder is the lower bits of the
 * word.
 */
#include "remainders.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Mask",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "The remainder by a power of two is the lower bits.",
    .pays = "Each word takes 30 steps.",
    .refuses = remainders_refuse,
    .plan = plan_by<remainders_plan, remainders_sum<false>>,
};
