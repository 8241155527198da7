#include "async_conflicts.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Asynchronous copies to slots 33 words apart",
                  "A block copies a tile into shared memory, transposed and padded by a column."),
    .refuses = causes_refuse_copies,
    .plan = plan_by<async_plan, CAUSES_TILE + 1>,
    .excess_wavefronts = no_excess_wavefronts,
};
