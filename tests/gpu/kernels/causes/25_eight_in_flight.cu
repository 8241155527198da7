/*
 * Enough bytes in flight: each thread has eight reads in flight. Only four warps are on an SM.
 */
#include "in_flight.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "Eight reads in flight",
    .suffers = "A test needs a pair of kernels that differ in one thing.",
    .changes = "The address of a read depends on the word that was read eight reads before.",
    .pays = "Only one block fits on an SM.",
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<flight_plan, causes_chained<FLIGHT_MOST>>,
};
