/*
 * With a short reuse distance: a thread reads eight words, and the same eight again. Meanwhile the
 * others have read some megabytes, and the words are still in the L2 cache.
 */
#include "reuse.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    reuse_plan(work, REUSE_LOG2_NEAR, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Read again at once",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "A thread reads its words in runs of eight, and each run twice.",
    .pays = "Each word is read twice.",
    .refuses = reuse_refuse,
    .launch_count = launch_once,
    .plan = plan,
};
