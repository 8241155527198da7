/*
 * At full occupancy: the kernel needs few registers, and four blocks of 512 threads fit on an SM.
 */
#include "register_residency.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "At most 32 registers: four blocks per SM",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Each thread reads 16 words, one after the other.",
    .pays = "Each thread has one read in flight.",
    .refuses = causes_refuse,
    .plan = plan_by<registers_plan, causes_held<REGISTERS_FEW>>,
};
