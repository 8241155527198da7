#include "register_residency.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("At most 32 registers: four blocks per SM",
                  "Each thread reads 16 words, one after the other."),
    .refuses = causes_refuse,
    .plan = plan_by<registers_plan, causes_held<REGISTERS_FEW>>,
};
