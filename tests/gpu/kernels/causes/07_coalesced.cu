/*
 * With coalesced reads: a warp reads 32 neighbouring words of a row.
 */
#include "uncoalesced.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Along the rows: coalesced",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Thread i reads word i and writes word i.",
    .pays = "Each word needs one read and one write.",
    .refuses = causes_refuse,
    .plan = plan_by<uncoalesced_plan, 0, 0>,
};
