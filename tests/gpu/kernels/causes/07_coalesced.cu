#include "uncoalesced.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Along the rows: coalesced", "Thread i reads word i and writes word i."),
    .refuses = causes_refuse,
    .plan = plan_by<uncoalesced_plan, 0, 0>,
};
