#include "in_flight.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("Eight reads in flight",
                  "The address of a read depends on the word that was read eight reads before."),
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<flight_plan, causes_chained<FLIGHT_MOST>>,
};
