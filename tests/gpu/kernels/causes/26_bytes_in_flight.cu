/*
 * Planted: too few bytes in flight. Each read waits for the one before it, and there are four warps
 * on an SM: an SM has 512 bytes in flight.
 *
 * The words are read and written in the same order by as many threads. The seven first dependences
 * differ: in the previous rung they are on nothing.
 */
#include "in_flight.h"

VARIANT_DEFINITION = {
    PLANTED("One read in flight", "25_eight_in_flight",
            "The address of a read depends on the word that was read just before."),
    .claims =
        {CLAIM("Each instruction waits longer for global memory.",
               "stall_long_scoreboard > 2 * prev_stall_long_scoreboard"),
         CLAIM(
             "Nothing else differs: the reads, sectors and blocks on an SM are as many, and the "
             "instructions almost.",
             "abs(warp_instructions - prev_warp_instructions) < 0.03 * prev_warp_instructions AND "
             "global_load_instructions = prev_global_load_instructions AND sectors_per_request = "
             "prev_sectors_per_request AND registers = prev_registers AND blocks_per_sm = 1 AND "
             "prev_blocks_per_sm = 1"),
         CLAIM("Nothing is spilled.", "local_bytes = 0 AND prev_local_bytes = 0"),
         TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<flight_plan, causes_chained<1>>,
};
