/*
 * Planted: low residency. Each block requests so much shared memory that only one fits on an SM: a
 * quarter of the threads, with a quarter of the reads in flight.
 *
 * The shared memory is not used. Its size is a launch parameter: kernel, grid and registers are
 * those of the previous rung.
 */
#include "residency.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "One block per SM: low occupancy",
    .after = "09_full_occupancy",
    .suffers = "The previous rung has no such problem: an SM has all the threads that it can hold.",
    .changes = "Each block requests 116 KiB of shared memory and does not use it.",
    .pays = "A quarter of the reads are in flight.",
    .claims =
        {
            {"One block fits on an SM; before, four did.", "planted", "residency.h", NULL,
             "blocks_per_sm = 1 AND prev_blocks_per_sm = 4"},
            {"A quarter of the warps are resident.", "planted", "residency.h", NULL,
             "achieved_occupancy_pct < 26 AND prev_achieved_occupancy_pct > 70"},
            {"Nothing else differs: the instructions, sectors and registers are as many.",
             "planted", "residency.h", NULL,
             "warp_instructions = prev_warp_instructions AND sectors_per_request = "
             "prev_sectors_per_request AND registers = prev_registers AND "
             "grid_blocks = prev_grid_blocks"},
            {"Latency is no longer hidden: the kernel takes at least half as long again.",
             "planted", "residency.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<residency_plan, CAUSES_ONE_BLOCK>,
};
