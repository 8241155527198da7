#include "collect/instruction_counts.h"

const char *const instruction_count_name[INSTRUCTION_COUNTS] = {
    [COUNT_EXECUTED] = "executed",
    [COUNT_THREADS] = "threads",
    [COUNT_THREADS_ON] = "threads_on",
    [COUNT_BRANCHES_UNIFORM] = "branches_uniform",
    [COUNT_BRANCHES_DIVERGENT] = "branches_divergent",
    [COUNT_SHARED_WAVEFRONTS] = "shared_wavefronts",
    [COUNT_SHARED_IDEAL] = "shared_ideal",
    [COUNT_GLOBAL_SECTORS] = "global_sectors",
    [COUNT_GLOBAL_IDEAL] = "global_ideal",
    [COUNT_LOCAL_SECTORS] = "local_sectors",
};
