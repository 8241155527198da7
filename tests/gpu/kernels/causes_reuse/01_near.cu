/*
 * With a short reuse distance: a thread reads eight words, and the same eight again. Meanwhile the
 * others have read some megabytes, and the words are still in the L2 cache.
 */
#include "reuse.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Read again at once",
                  "A thread reads its words in runs of eight, and each run twice."),
    .refuses = reuse_refuse,
    .plan = plan_by<reuse_plan, REUSE_LOG2_NEAR>,
};
