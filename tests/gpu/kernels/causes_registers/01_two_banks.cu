#include "multiply_adds.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Operands in both banks",
                  "A product takes the one of two equal factors that is in the other bank."),
    .refuses = adds_refuse,
    .plan = plan_by<adds_plan, adds_products<false>>,
};
