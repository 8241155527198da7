/*
 * Full waves: there are two blocks for each SM, and each SM works on them one after the other.
 */
#include "last_wave.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Two full waves",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "There are two equal blocks for each SM.",
    .pays = "Each word takes 128 dependent steps.",
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<waves_plan, 0>,
};
