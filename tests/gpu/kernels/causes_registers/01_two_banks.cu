/*
 * Multiply-adds without conflicts in the register file: the operands of each are in both banks.
 */
#include "multiply_adds.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Operands in both banks",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "A product takes the one of two equal factors that is in the other bank.",
    .pays = "There is a multiply-add in each cycle.",
    .refuses = adds_refuse,
    .plan = plan_by<adds_plan, adds_products<false>>,
};
