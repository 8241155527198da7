#include "bank_conflicts.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("The kernel of rung 1", "It is the kernel of rung 1 with the same arguments."),
    .refuses = causes_refuse,
    .plan = plan_by<conflicts_plan, 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
