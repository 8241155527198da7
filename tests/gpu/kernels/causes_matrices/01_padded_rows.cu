/*
 * Matrices without bank conflicts: the rows in shared memory are 36 words apart, so the 8 rows of a
 * matrix are in different banks.
 */
#include "matrices.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Rows 36 words apart",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Each row in shared memory is padded by 4 words.",
    .pays = "Each warp reads all words 16 times.",
    .refuses = matrices_refuse,
    .plan = plan_by<matrices_plan, MATRICES_PADDED>,
};
