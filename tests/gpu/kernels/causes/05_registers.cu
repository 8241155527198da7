#include "spills.h"

VARIANT_DEFINITION = {
    FIRST_OF_PAIR("64 words in registers", "Each thread works through 64 words in each round; the "
                                           "compiler may use as many registers as it likes."),
    .refuses = causes_refuse_small_shared,
    .plan = plan_by<spills_plan, causes_many_words<1>>,
};
