#include "alignment.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR(
        "Aligned words",
        "Each thread reads every word 64 times; the first word lies at the beginning of a sector."),
    .refuses = alignment_refuse,
    .plan = plan_by<alignment_plan, 0>,
};
