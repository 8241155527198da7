/*
 * Planted: too few bytes in flight. Each read waits for the one before it, and there are four warps
 * on an SM: an SM has 512 bytes in flight.
 *
 * The words are read and written in the same order by as many threads. The seven first dependences
 * differ: in the previous rung they are on nothing.
 */
#include "in_flight.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "One read in flight",
    .after = "25_eight_in_flight",
    .suffers =
        "The previous rung has no such problem: an SM has eight times as many bytes in flight.",
    .changes = "The address of a read depends on the word that was read just before.",
    .pays = "An eighth of the bytes are in flight.",
    .claims =
        {
            {"Each instruction waits longer for global memory.", "planted", "in_flight.h", NULL,
             "stall_long_scoreboard > 2 * prev_stall_long_scoreboard"},
            {"Nothing else differs: the reads, sectors and blocks on an SM are as many, and the "
             "instructions almost.",
             "planted", "in_flight.h", NULL,
             "abs(warp_instructions - prev_warp_instructions) < 0.03 * prev_warp_instructions AND "
             "global_load_instructions = prev_global_load_instructions AND sectors_per_request = "
             "prev_sectors_per_request AND registers = prev_registers AND blocks_per_sm = 1 AND "
             "prev_blocks_per_sm = 1"},
            {"Nothing is spilled.", "planted", "in_flight.h", NULL,
             "local_bytes = 0 AND prev_local_bytes = 0"},
            {"Latency is no longer hidden: the kernel takes at least half as long again.",
             "planted", "in_flight.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<flight_plan, causes_chained<1>>,
};
