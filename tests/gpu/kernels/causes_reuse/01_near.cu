#include "reuse.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Read again at once",
                  "A thread reads its words in runs of eight, and each run twice."),
    .refuses = reuse_refuse,
    .plan = plan_by<reuse_plan, REUSE_LOG2_NEAR>,
};
