/*
 * Planted: atomic additions to one word in shared memory. All threads of a block add to the same
 * word, so the lanes of a warp take turns.
 *
 * The distances of the words are arguments of the kernel, here 0: instructions, grid, shared memory
 * and registers are those of the first rung.
 */
#include "atomics_shared.h"

VARIANT_DEFINITION = {
    PLANTED("Shared memory: one word for all", "01_word_per_lane",
            "All threads of a block add to one word."),
    .claims = {NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.5)},
    .refuses = atomics_refuse,
    .plan = plan_by<atomics_shared_plan, 0, 0>,
};
