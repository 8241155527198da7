/*
 * Sums with one lane to a bank, and fewer instructions.
 */
#include "sums.h"

SUMS_RUNG("_Z16sum_no_conflictsPKjPjmi", sums_run, 1, 20, .registers = 32, .static_shared = 1024)

static int accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    return sums_accesses(index, 1, list);
}

const struct variant VARIANT = {
    VARIANT_IDENTITY,
    .title = "No bank conflicts",
    .after = "01_conflicts",
    .suffers = "Four lanes want the same bank.",
    .changes = "Neighbouring lanes read neighbouring words.",
    .pays = "There are instructions beside the sums.",
    .claims = {{"Without bank conflicts it is faster", "a test", "here", NULL,
                "time_ns < prev_time_ns", 0}},
    .published = {{"a test", "no device", 100, "16384", 0, 0, 4000, 16.4}},
    .launch_count = sums_launches,
    .plan = plan,
    .shared_accesses = accesses,
};
