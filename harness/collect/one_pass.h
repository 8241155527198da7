/*
 * Packs the counters of the records into sets that CUPTI collects in one pass each, so that nothing
 * is replayed: passes after the first read other caches and write more to memory. Needs CUPTI's
 * library, but no GPU. A struct one_pass_sets owns everything that it points to until
 * one_pass_free; its counters point into the records.
 */
#ifndef WHYFAST_ONE_PASS_H
#define WHYFAST_ONE_PASS_H

#include "collect/collector.h"

enum { NOT_PACKED = -1 };

struct one_pass_sets {
    struct counter_set counters; /* all of the range profiler, with their names on this chip */
    int *set_of;                 /* of each counter: its set, or NOT_PACKED */
    int *passes_of;              /* of each counter that is not packed: the passes that it needs;
                                    0: the chip does not know it */
    int count;                   /* sets, numbered from 0 */
    int cupti_version;           /* of the API */
};

/* Packs for a chip ("GH100"), greedily in the order of the records. Returns FAIL_GPU with
 * counters.reason if CUPTI is unavailable. The caller calls one_pass_free in any case. */
int one_pass_make(struct one_pass_sets *sets, const struct records *records, const char *chip);
void one_pass_free(struct one_pass_sets *sets);

#endif
