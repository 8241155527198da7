#include "uncoalesced.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Copies along the rows: coalesced",
                  "Thread i copies word i into shared memory, and writes word i."),
    .refuses = causes_refuse_copies,
    .plan = plan_by<uncoalesced_plan, 1, 0>,
};
