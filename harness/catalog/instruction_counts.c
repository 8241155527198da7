#include "catalog/instruction_counts.h"

const char *const instruction_count_name[INSTRUCTION_COUNTS] = {
    "executed",          "threads",      "threads_on",     "branches_uniform", "branches_divergent",
    "shared_wavefronts", "shared_ideal", "global_sectors", "global_ideal",     "local_sectors"};
