#include "launches.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    launches_plan(work, index, 1, launch);
}

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("One launch", "Thread i reads word i and writes word i."),
    .refuses = causes_refuse,
    .plan = plan,
};
