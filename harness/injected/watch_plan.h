/*
 * Reads plan.txt, which says what this start of the program is watched for.
 */
#ifndef WHYFAST_INJECT_WATCH_PLAN_H
#define WHYFAST_INJECT_WATCH_PLAN_H

#include <stddef.h>

#include "knockout/twin.h"

/* A file beside plan.txt that whyfast fills with blanks before the start. The library replaces them
 * by the number of the error if it cannot write a file: this works even if the disk is full. */
#define UNWRITTEN_FILE "unwritten"

/* A directory that all starts share: counters that a start began to collect are kept there. */
#define IMAGES_DIRECTORY "../images"

/* A row of this name in counters.csv says how many passes of a kernel have come. */
#define PASSES_NAME "passes"

enum watch_mode { WATCH_TIMES, WATCH_COUNTERS, WATCH_COUNTS, WATCH_KNOCKOUTS, WATCH_MODES };

enum watch_by { WATCH_BY_SHAPE, WATCH_BY_RANGE, WATCH_BY_OPERATOR, WATCH_BYS };
/* One launch configuration of a kernel: launches that differ in any of these are told apart. */
struct launch_signature {
    const char *symbol; /* mangled */
    int device;
    unsigned grid[3], block[3];
    unsigned dynamic_shared;
    const char *range; /* NVTX ranges around the launch, "" if there are none */
};

/* A process of the first start, by which the same one of a later start is known: the number of its
 * ancestors up to whyfast, and the path of its executable. */
struct planned_process {
    int number, generation;
    const char *executable;
};

struct planned_kernel {
    int process;
    struct launch_signature signature;
    int first, last;   /* ordinals of the launches that may be profiled for counters, or -1 */
    int count;         /* ordinal of the launch whose instructions are counted, or whose twins are
                          timed, or -1 */
    const char *cubin; /* the checksum of its machine code, or NULL */
    struct twin *twin; /* of each knock-out, without texts; or NULL: none is timed */
    unsigned twins;    /* those that are timed, as bits 1 << enum knockout */
};

struct watch_plan {
    enum watch_mode mode;
    enum watch_by by; /* what tells launches of one shape apart */
    int samples;      /* stalls are sampled as well */
    int alone;        /* kernels are timed one at a time */
    int replays;      /* CUPTI replays each profiled launch in all passes */
    unsigned period;  /* exponent of the sampling period in cycles */
    int starter;      /* id of the process of whyfast */
    struct planned_process *process;
    int process_count;
    const char **metric; /* the counters of CUPTI */
    size_t metric_count;
    int passes; /* in which CUPTI collects them together */
    struct planned_kernel *kernel;
    int kernel_count;
    char *text; /* of plan.txt; the strings above point into it */
};

/* Reads <directory>/plan.txt; the caller frees the plan. Returns 1, or 0 with the reason, a
 * constant string, and an empty plan. */
int watch_plan_read(struct watch_plan *plan, const char *directory, const char **reason);

/* Returns the word of a mode in plan.txt, by which problems are named, too. */
const char *watch_mode_name(enum watch_mode mode);

void watch_plan_free(struct watch_plan *plan);

/* Returns the kernel of the plan with this process and signature, or -1. */
int watch_plan_find(const struct watch_plan *plan, int process,
                    const struct launch_signature *signature);

/* Returns 0 if two signatures are equal, else their order, which is any. */
int launch_signature_order(const struct launch_signature *a, const struct launch_signature *b);

#endif
