#include "matrices.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Rows 36 words apart", "Each row in shared memory is padded by 4 words."),
    .refuses = matrices_refuse,
    .plan = plan_by<matrices_plan, MATRICES_PADDED>,
};
