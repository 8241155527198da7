/*
 * With coalesced reads: a warp reads 32 neighbouring words of a row.
 */
#include "uncoalesced.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    uncoalesced_plan(work, 0, 0, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Along the rows: coalesced",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Thread i reads word i and writes word i.",
    .pays = "Each word needs one read and one write.",
    .refuses = causes_refuse,
    .launch_count = launch_once,
    .plan = plan,
};
