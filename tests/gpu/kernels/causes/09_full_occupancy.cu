#include "residency.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Four blocks per SM", "Each thread reads 16 words, one after the other."),
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<residency_plan, 0>,
};
