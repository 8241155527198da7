#include "uncoalesced_writes.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Along the rows: coalesced writes", "Thread i reads word i and writes word i."),
    .refuses = causes_refuse,
    .plan = plan_by<writes_plan, 0>,
};
