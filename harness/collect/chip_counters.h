/*
 * Plans all counters of the records for a chip: their names on that chip, and the number of passes
 * in which CUPTI collects all of them. Needs CUPTI's library, but no GPU. A struct chip_counters
 * owns everything that it points to until chip_counters_free; its counters point into the records.
 */
#ifndef WHYFAST_CHIP_COUNTERS_H
#define WHYFAST_CHIP_COUNTERS_H

#include "collect/collector.h"

/* The counters of one launch that is collected in two starts of a program: in one pass, and by
 * replaying it, which falsifies what depends on memory, caches and time: on an H100 saving and
 * restoring adds up to 20 MB to the bytes that a kernel writes to DRAM, and the L2 cache loses its
 * contents between the passes. Lists end with NULL. */
struct replay_counters {
    const char **one_pass, **replayed;
    const char **falsified; /* in neither of them: they did not fit into one pass */
    int passes;             /* in which CUPTI replays `replayed`; 0: it cannot be planned */
};

struct chip_counters {
    struct counter_set set; /* all of the range profiler, with their names on this chip */
    const char **metric;    /* these names, each once; ends with NULL */
    struct replay_counters replay;
    int cupti_version; /* of CUPTI's API */
};

/* Plans for a chip ("GH100"). Returns FAIL_GPU with set.reason if CUPTI is unavailable or cannot
 * collect the counters together. The caller calls chip_counters_free in any case. */
int chip_counters_plan(struct chip_counters *counters, const struct records *records,
                       const char *chip);
void chip_counters_free(struct chip_counters *counters);

#endif
