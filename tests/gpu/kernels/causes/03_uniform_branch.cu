#include "divergence.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Each warp takes one path",
                  "Words of either kind take a path of their own; a warp has words of one kind."),
    .refuses = causes_refuse,
    .plan = plan_by<divergence_plan, 6>,
};
