/*
 * Without barriers: the warps of a block have their work in different rounds, and none waits for
 * another.
 */
#include "barriers.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "No barriers",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "A block goes through 16 rounds; in each of them one of its 16 warps has work.",
    .pays = "The loop over the rounds costs a little.",
    .refuses = causes_refuse,
    .plan = plan_by<barriers_plan, causes_turns<false>>,
};
