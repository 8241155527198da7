/*
 * Times the twins of one kernel of the registry beside the original, in this process. A twin that
 * faults or does not end takes the process with it: knockout/knockout_run.h starts it again without
 * that one. Nothing is owned.
 *
 * Method: original and twins take turns in rounds, each in a new random order, every one as the
 * clean times of a run are taken (measure/gpu_timer.h): earlier launches of the point first, a cold
 * L2 cache, a gate that holds the stream. The cost is the median of the differences of a round. The
 * unchanged copy is one of the twins: what it seems to cost is what the method cannot tell.
 */
#ifndef WHYFAST_TWIN_TIMES_H
#define WHYFAST_TWIN_TIMES_H

#include "catalog/knockout.h"
#include "catalog/registry.h"

struct twin_options {
    uint64_t seed;
    unsigned launch;    /* of the point */
    const char *counts; /* a file of "probe counts" of this launch */
    unsigned wanted;    /* the knock-outs, as bits 1 << enum knockout */
    long line;          /* of the source, to which the knock-outs are limited; 0: all lines */
};

/* The status of a knock-out that saves no more than the unchanged copy may, and of one for which
 * the kernel has nothing to knock out; else it is "ok" or absent. */
#define TWIN_NO_COST "no cost"
#define TWIN_NONE "none"

/* Columns of the CSV that is printed on stdout. The row "begun" of a twin comes before its first
 * launch, "fault" tells why it ended the process, "result" has its figures. */
enum twin_column {
    TWIN_WHAT,
    TWIN_KNOCKOUT,
    TWIN_SYMBOL,
    TWIN_STATUS,
    TWIN_PATCHED,
    TWIN_LEFT,
    TWIN_LEFT_REASON,
    TWIN_SAMPLES,
    TWIN_TIME,
    TWIN_SAVED,
    TWIN_LOW,
    TWIN_HIGH,
    TWIN_COLUMNS
};

int twin_times(const struct selection *selection, const struct twin_options *options);

#endif
