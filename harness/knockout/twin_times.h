/*
 * Times the twins of one kernel of the registry beside the original, in this process. A twin that
 * faults or does not end takes the process with it: knockout/knockout_run.h starts it again without
 * that one. Nothing is owned.
 *
 * Method: in rounds (knockout/twin_rounds.h), every launch as the clean times of a run are taken
 * (measure/gpu_timer.h): earlier launches of the point first, a cold L2 cache, a gate that holds
 * the stream. Other processes may copy inputs to the device meanwhile; none runs a kernel of a
 * point. A kernel of which nothing can be taken out is not timed, and needs no device.
 */
#ifndef WHYFAST_TWIN_TIMES_H
#define WHYFAST_TWIN_TIMES_H

#include "catalog/registry.h"

struct twin_options {
    uint64_t seed;
    unsigned launch;    /* of the point */
    const char *counts; /* a file of "probe counts" of this launch; its first line is the task */
    unsigned wanted;    /* the knock-outs, as bits 1 << enum knockout */
    const char *line;   /* to which they are limited (catalog/knockout.h); NULL: all lines */
};

/* Columns of the task. Processes whose lock is the same file use the device one after another: what
 * needs no device is done before. */
enum twin_task {
    TASK_SYMBOL,       /* of the kernel */
    TASK_SHARED,       /* bytes of a block, static and dynamic */
    TASK_ARCHITECTURE, /* 90 for sm_90 and sm_90a */
    TASK_SECONDS,      /* of the rounds, unless there are too few */
    TASK_LOCK,         /* path */
    TASK_COLUMNS
};

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
