/*
 * Asynchronous copies without bank conflicts: the lanes of a copy have slots 33 words apart, in
 * different banks.
 */
#include "async_conflicts.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    async_plan(work, CAUSES_TILE + 1, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Asynchronous copies to slots 33 words apart",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "A block copies a tile into shared memory, transposed and padded by a column.",
    .pays = "Each word passes through shared memory.",
    .refuses = causes_refuse_copies,
    .launch_count = launch_once,
    .plan = plan,
    .excess_wavefronts = no_excess_wavefronts,
};
