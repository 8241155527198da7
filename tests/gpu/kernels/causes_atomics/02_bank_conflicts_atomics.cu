/*
 * Planted: bank conflicts of atomic additions. Each thread has a word of its own, and those of a
 * warp are all in one bank.
 *
 * The distances of the words are arguments of the kernel: instructions, grid, shared memory and
 * registers are those of the first rung.
 */
#include "atomics_shared.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Shared memory: 32 words of one bank",
    .after = "01_word_per_lane",
    .suffers = "The first rung has no such problem: the lanes of a warp use 32 different banks.",
    .changes = "The words of a warp's lanes are 32 words apart.",
    .pays = "Each addition of a warp takes 32 turns.",
    .claims =
        {
            {"Shared memory needs far more wavefronts.", "planted", "atomics_shared.h", NULL,
             "shared_wavefronts > 4 * prev_shared_wavefronts"},
            {"Nothing else differs: the instructions and the threads on an SM are as many.",
             "planted", "atomics_shared.h", NULL,
             "warp_instructions = prev_warp_instructions AND registers = prev_registers AND "
             "blocks_per_sm = prev_blocks_per_sm"},
            {"The kernel waits for shared memory, so it takes at least half as long again.",
             "planted", "atomics_shared.h", NULL, "speedup_prev_high < 1 / 1.5"},
        },
    .refuses = atomics_refuse,
    .plan = plan_by<atomics_shared_plan, 32, 1>,
};
