/*
 * Forgets a word in every other launch over many words, and declares that it may.
 */
#include "sums.h"

static void run(const struct fake_launch *launch)
{
    static int count, many;
    sums_run(launch);
    if (launch->grid[0] > 1)
        many = launch->argument[SUMS_WORDS] > 16384;
    else if (many && count++ % 2)
        *(uint32_t *)(uintptr_t)launch->argument[SUMS_TO] += 1;
}

SUMS_RUNG("sum_racy", run, 1, 4, .registers = 24)

const struct variant VARIANT = {
    VARIANT_IDENTITY,
    .title = "Racy",
    .after = "02_no_conflicts",
    .suffers = "Its threads wait for each other.",
    .changes = "They do not wait.",
    .pays = "The result.",
    .fails = "Nothing orders its threads.",
    .full_only = 1,
    .claims = {{"Nothing needs to wait", "a test", "here", NULL, "wrong_pct = 0"}},
    .launch_count = sums_launches,
    .plan = plan,
};
