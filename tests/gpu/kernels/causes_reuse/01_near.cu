/*
 * With a short reuse distance: a thread reads eight words, and the same eight again. Meanwhile the
 * others have read some megabytes, and the words are still in the L2 cache.
 */
#include "reuse.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Read again at once",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "A thread reads its words in runs of eight, and each run twice.",
    .pays = "Each word is read twice.",
    .refuses = reuse_refuse,
    .plan = plan_by<reuse_plan, REUSE_LOG2_NEAR>,
};
