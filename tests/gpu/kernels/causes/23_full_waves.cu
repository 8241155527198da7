#include "last_wave.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Two full waves", "There are two equal blocks for each SM."),
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<waves_plan, 0>,
};
