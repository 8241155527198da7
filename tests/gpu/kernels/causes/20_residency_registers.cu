/*
 * Planted: low residency for lack of registers. A branch that is never taken holds 84 words in
 * registers, so a thread gets more than 64, and only one block of 512 fits on an SM.
 *
 * The branch is in both kernels and differs only in the number of words that it holds. Nothing of
 * it is executed: instructions, grid and reads are those of the previous rung.
 */
#include "register_residency.h"

VARIANT_DEFINITION = {
    PLANTED("More than 64 registers: one block per SM", "19_few_registers",
            "A branch that is never taken needs 84 registers more."),
    .claims = {CLAIM("Registers limit the blocks: one fits on an SM; before, four did.",
                     "blocks_per_sm = 1 AND prev_blocks_per_sm = 4 AND "
                     "limited_by_registers = 1 AND limited_by_shared_memory = 0"),
               CLAIM("There are at most 32 registers before, and more than 64 now.",
                     "registers > 64 AND prev_registers <= 32"),
               CLAIM("A quarter of the warps are resident.",
                     "achieved_occupancy_pct < 26 AND prev_achieved_occupancy_pct > 70"),
               CLAIM("Nothing else differs: the instructions and sectors are as many, and "
                     "nothing is spilled.",
                     "warp_instructions = prev_warp_instructions AND sectors_per_request = "
                     "prev_sectors_per_request AND grid_blocks = prev_grid_blocks AND "
                     "local_bytes = 0 AND prev_local_bytes = 0"),
               TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse,
    .plan = plan_by<registers_plan, causes_held<REGISTERS_MANY>>,
};
