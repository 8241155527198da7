/*
 * Planted: bank conflicts by asynchronous copies. The lanes of a copy have slots 32 words apart,
 * all in one bank.
 *
 * The distance is an argument of the kernel: instructions, grid, shared memory and registers are
 * those of the previous rung. Loads of the slots are free of conflicts in both. Only the wavefronts
 * in which copies write shared memory change: there are 32 times as many.
 */
#include "async_conflicts.h"

VARIANT_DEFINITION = {
    PLANTED("Asynchronous copies to slots 32 words apart: 32-way bank conflicts",
            "15_padded_copies", "The tile in shared memory is not padded."),
    .claims = {CLAIM("Every copy is a 32-way conflict; before there was none.",
                     "shared_async_wavefronts = 32 * shared_async_instructions AND "
                     "prev_shared_async_wavefronts = prev_shared_async_instructions"),
               CLAIM("Loads of shared memory do not conflict.",
                     "load_excess_wavefronts = 0 AND prev_load_excess_wavefronts = 0"),
               NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse_copies,
    .plan = plan_by<async_plan, CAUSES_TILE>,
    .excess_wavefronts = no_excess_wavefronts,
};
