/*
 * At full occupancy: four blocks of 512 threads on an SM.
 */
#include "residency.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Four blocks per SM",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Each thread reads 16 words, one after the other.",
    .pays = "Each thread has one read in flight.",
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<residency_plan, 0>,
};
