/*
 * At full occupancy: the kernel needs few registers, and four blocks of 512 threads fit on an SM.
 */
#include "register_residency.h"

static void plan(const struct work *work, unsigned index, struct launch *launch)
{
    (void)index;
    registers_plan(work, (const void *)causes_held<REGISTERS_FEW>, launch);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "At most 32 registers: four blocks per SM",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Each thread reads 16 words, one after the other.",
    .pays = "Each thread has one read in flight.",
    .refuses = causes_refuse,
    .launch_count = launch_once,
    .plan = plan,
};
