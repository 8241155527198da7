/*
 * Without barriers: the warps of a block have their work in different rounds, and none waits for
 * another.
 */
#include "barriers.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    barriers_plan(work, (const void *)causes_turns<false>, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "No barriers",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "A block goes through 16 rounds; in each of them one of its 16 warps has work.",
    .pays = "The loop over the rounds costs a little.",
    .refuses = causes_refuse,
    .launch_count = launch_once,
    .plan = plan,
};
