#include "remainders.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Mask", "The remainder by a power of two is the lower bits."),
    .refuses = remainders_refuse,
    .plan = plan_by<remainders_plan, remainders_sum<false>>,
};
