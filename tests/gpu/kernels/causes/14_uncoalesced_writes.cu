/*
 * Planted: uncoalesced writes. A warp writes 32 words of a column, each in its own sector.
 *
 * The matrix is symmetric, and so are the results: both rungs read the same words in the same way,
 * and write the same results to the same array. The pitches are arguments of the kernel:
 * instructions, grid and registers are those of the previous rung.
 */
#include "uncoalesced_writes.h"

VARIANT_DEFINITION = {
    PLANTED("Along the columns: uncoalesced writes", "13_coalesced_writes",
            "Each thread writes its result to the mirrored place, where it is right, too."),
    .claims = {CLAIM("The SMs request far more sectors from the L2 cache.",
                     "l2_sm_sectors > 3 * prev_l2_sm_sectors"),
               CLAIM("Reads stay coalesced.",
                     "sectors_per_request = 4 AND prev_sectors_per_request = 4"),
               NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse,
    .plan = plan_by<writes_plan, 1>,
};
