/*
 * Sums with four lanes to a bank, and many instructions besides the sums.
 */
#include "sums.h"

enum { WAYS = 4 };

SUMS_RUNG("_Z13sum_conflictsPKjPjmi", sums_run, WAYS, 40, .registers = 40, .static_shared = 4096)

static int accesses(const struct work *work, unsigned index, struct shared_access *list)
{
    return sums_accesses(index, WAYS, list);
}

const struct variant VARIANT = {
    VARIANT_IDENTITY,
    .title = "Bank conflicts",
    .suffers = "A sum needs each word once.",
    .changes = "Blocks add up their share in shared memory.",
    .pays = "Four lanes want the same bank.",
    .launch_count = sums_launches,
    .plan = plan,
    .shared_accesses = accesses,
};
