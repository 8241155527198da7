/*
 * Planted: uncoalesced reads. A warp reads 32 words of a column, each in its own sector; blocks
 * that run elsewhere and at other times read the other seven words of a sector, so each sector is
 * fetched eight times.
 *
 * The matrix is symmetric: both rungs read the same words and write the same results in the same
 * way to the same places. The pitches are arguments of the kernel: instructions, grid and registers
 * are those of the previous rung.
 */
#include "uncoalesced.h"

VARIANT_DEFINITION = {
    PLANTED("Along the columns: uncoalesced reads", "07_coalesced",
            "Each thread reads the mirrored word, which has the same value."),
    .claims = {CLAIM("Each lane reads its own sector; before, eight lanes shared one.",
                     "sectors_per_request = 32 AND prev_sectors_per_request = 4"),
               NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse,
    .plan = plan_by<uncoalesced_plan, 0, 1>,
};
