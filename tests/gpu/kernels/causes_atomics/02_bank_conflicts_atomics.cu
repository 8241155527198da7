/*
 * Planted: bank conflicts of atomic additions. Each thread has a word of its own, and those of a
 * warp are all in one bank.
 *
 * The distances of the words are arguments of the kernel: instructions, grid, shared memory and
 * registers are those of the first rung.
 */
#include "atomics_shared.h"

VARIANT_DEFINITION = {
    PLANTED("Shared memory: 32 words of one bank", "01_word_per_lane",
            "The words of a warp's lanes are 32 words apart."),
    .claims = {CLAIM("Shared memory needs far more wavefronts.",
                     "shared_wavefronts > 4 * prev_shared_wavefronts"),
               NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.5)},
    .refuses = atomics_refuse,
    .plan = plan_by<atomics_shared_plan, 32, 1>,
};
