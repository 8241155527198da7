#include "barriers.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("No barriers",
                  "A block goes through 16 rounds; in each of them one of its 16 warps has work."),
    .refuses = causes_refuse,
    .plan = plan_by<barriers_plan, causes_turns<false>>,
};
