#include "atomics_global.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    atomics_global_plan(work, index, ATOMICS_SECTOR, launch);
}

VARIANT_DEFINITION = {
    FIRST_OF_PAIR(
        "Global memory: a word for each warp",
        "A warp sums the numbers of 32 words and adds the sum to a word that no other warp uses."),
    .refuses = atomics_refuse,
    .launch_count = atomics_global_launches,
    .plan = plan,
};
