#include "atomics_shared.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Shared memory: a word for each lane",
                  "Each thread adds all of its numbers to one word, which no other thread uses."),
    .refuses = atomics_refuse,
    .plan = plan_by<atomics_shared_plan, 1, 32>,
};
