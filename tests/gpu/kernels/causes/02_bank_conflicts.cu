/*
 * Planted: four-way bank conflicts. The slots of a warp's lanes in shared memory are 4 words apart,
 * so four lanes each share a bank.
 *
 * The distance is an argument of the kernel: instructions, grid, shared memory and registers are
 * those of the previous rung. Only the wavefronts of an access change: there are four times as
 * many.
 */
#include "bank_conflicts.h"

static double excess_wavefronts(const struct point *point, unsigned)
{
    return conflicts_excess(point, 4);
}

VARIANT_DEFINITION = {
    PLANTED("Slots 4 words apart: 4-way bank conflicts", "01_no_bank_conflicts",
            "The lanes of a warp have slots 4 words apart."),
    .claims = {CLAIM("Every access is a four-way conflict; before there was none.",
                     "shared_excess_wavefronts = 3 * prev_shared_wavefronts AND "
                     "prev_shared_excess_wavefronts = 0"),
               NOTHING_ELSE_DIFFERS, TIMES_AS_LONG(1.5)},
    .refuses = causes_refuse,
    .plan = plan_by<conflicts_plan, 4>,
    .excess_wavefronts = excess_wavefronts,
};
