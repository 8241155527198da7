/*
 * Asynchronous copies of coalesced words: a warp copies 32 neighbouring words of a row.
 */
#include "uncoalesced.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Copies along the rows: coalesced",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Thread i copies word i into shared memory, and writes word i.",
    .pays = "Each word passes through shared memory.",
    .refuses = causes_refuse_copies,
    .plan = plan_by<uncoalesced_plan, 1, 0>,
};
