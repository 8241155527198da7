#include "unequal_blocks.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Equal blocks", "Two blocks share their tiles in halves."),
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<pairs_plan, 2>,
};
