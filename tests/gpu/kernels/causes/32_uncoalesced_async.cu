/*
 * Planted: uncoalesced asynchronous copies. A warp copies 32 words of a column, each from its own
 * cache line; the words of each line are written to shared memory by themselves, so each copy takes
 * 32 wavefronts there, without a conflict of banks.
 *
 * The matrix is symmetric: both rungs copy the same words and write the same results in the same
 * way to the same places. The pitches are arguments of the kernel: instructions, grid and registers
 * are those of the previous rung.
 */
#include "uncoalesced.h"

VARIANT_DEFINITION = {
    PLANTED("Copies along the columns: uncoalesced", "31_copied_rows",
            "Each thread copies the mirrored word, which has the same value."),
    .claims = {CLAIM("Each lane copies from its own sector; before, eight lanes shared one.",
                     "async_sectors = 32 * shared_async_instructions AND prev_async_sectors = 4 "
                     "* prev_shared_async_instructions"),
               CLAIM("All excess wavefronts are due to the lines.",
                     "line_wavefronts = 31 * shared_async_instructions AND conflict_wavefronts = "
                     "0 AND prev_shared_excess_wavefronts = 0"),
               NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse_copies,
    .plan = plan_by<uncoalesced_plan, 1, 1>,
};
