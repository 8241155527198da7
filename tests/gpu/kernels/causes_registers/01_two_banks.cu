/*
 * Multiply-adds without conflicts in the register file: the operands of each are in both banks.
 */
#include "multiply_adds.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    adds_plan(work, (const void *)adds_products<false>, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Operands in both banks",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "A product takes the one of two equal factors that is in the other bank.",
    .pays = "There is a multiply-add in each cycle.",
    .refuses = adds_refuse,
    .launch_count = launch_once,
    .plan = plan,
};
