/*
 * Without spills: a thread's 64 words are in registers.
 */
#include "spills.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "64 words in registers",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "Each thread works through 64 words in each round; the compiler may use as many "
               "registers as it likes.",
    .pays = "The kernel needs registers, and only one block fits on an SM.",
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<spills_plan, causes_many_words<1>>,
};
