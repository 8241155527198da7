/*
 * Matrices without bank conflicts: the rows in shared memory are 36 words apart, so the 8 rows of a
 * matrix are in different banks.
 */
#include "matrices.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Rows 36 words apart", "Each row in shared memory is padded by 4 words."),
    .refuses = matrices_refuse,
    .plan = plan_by<matrices_plan, MATRICES_PADDED>,
};
