/*
 * Planted: low residency. Each block requests so much shared memory that only one fits on an SM: a
 * quarter of the threads, with a quarter of the reads in flight.
 *
 * The shared memory is not used. Its size is a launch parameter: kernel, grid and registers are
 * those of the previous rung.
 */
#include "residency.h"

VARIANT_DEFINITION = {
    PLANTED("One block per SM: low occupancy", "09_full_occupancy",
            "Each block requests 116 KiB of shared memory and does not use it."),
    .claims = {CLAIM("One block fits on an SM; before, four did.",
                     "blocks_per_sm = 1 AND prev_blocks_per_sm = 4"),
               CLAIM("A quarter of the warps are resident.",
                     "achieved_occupancy_pct < 26 AND prev_achieved_occupancy_pct > 70"),
               CLAIM("Nothing else differs: the instructions, sectors and registers are as many.",
                     "warp_instructions = prev_warp_instructions AND sectors_per_request = "
                     "prev_sectors_per_request AND registers = prev_registers AND grid_blocks = "
                     "prev_grid_blocks"),
               TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<residency_plan, CAUSES_ONE_BLOCK>,
};
