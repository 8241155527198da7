/*
 * Asynchronous copies without bank conflicts: the lanes of a copy have slots 33 words apart, in
 * different banks.
 */
#include "async_conflicts.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Asynchronous copies to slots 33 words apart",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "A block copies a tile into shared memory, transposed and padded by a column.",
    .pays = "Each word passes through shared memory.",
    .refuses = causes_refuse_copies,
    .plan = plan_by<async_plan, CAUSES_TILE + 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
