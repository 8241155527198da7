#include "bank_conflicts.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Slots 1 word apart: no bank conflicts",
                  "Each word goes through a slot in shared memory 16 times; the lanes of a warp "
                  "have neighbouring slots."),
    .refuses = causes_refuse,
    .plan = plan_by<conflicts_plan, 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
