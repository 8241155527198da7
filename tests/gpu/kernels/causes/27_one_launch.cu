/*
 * One launch for all words.
 */
#include "launches.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    launches_plan(work, index, 1, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "One launch",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Thread i reads word i and writes word i.",
    .pays = "Each word needs one read and one write.",
    .refuses = causes_refuse,
    .plan = plan,
};
