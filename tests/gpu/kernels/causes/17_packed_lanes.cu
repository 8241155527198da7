#include "predication.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("All lanes of a warp have work together",
                  "Words of either kind have a round of their own; a warp has words of one kind "
                  "and skips the other round."),
    .refuses = causes_refuse,
    .plan = plan_by<predication_plan, 6>,
};
