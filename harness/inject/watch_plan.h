/*
 * Reads plan.txt, which says what this start of the program is watched for.
 */
#ifndef WHYFAST_INJECT_WATCH_PLAN_H
#define WHYFAST_INJECT_WATCH_PLAN_H

#include <stddef.h>

/* A file beside plan.txt that whyfast fills with blanks before the start. The library replaces them
 * by the number of the error if it cannot write a file: this works even if the disk is full. */
#define UNWRITTEN_FILE "unwritten"

enum watch_mode { WATCH_TIMES, WATCH_COUNTERS, WATCH_COUNTS };

enum { NO_SET = -1, PLAN_SETS = 64 };

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
    int take_count; /* launches from the first on that have an entry in `take` */
    int *take;      /* the set of a launch, by its ordinal; NO_SET: not profiled */
    int count;      /* ordinal of the launch whose instructions are counted, or -1 */
};

/* Metrics of CUPTI that fit into one pass. */
struct planned_set {
    size_t count;
    const char **metric;
};

/* A launch that is profiled. */
struct planned_take {
    int kernel, ordinal, set;
};

struct watch_plan {
    enum watch_mode mode;
    int samples;     /* stalls are sampled as well */
    int alone;       /* kernels are timed one at a time */
    unsigned period; /* exponent of the sampling period in cycles */
    int starter;     /* id of the process of whyfast */
    struct planned_process *process;
    int process_count;
    struct planned_set set[PLAN_SETS];
    int set_count;
    struct planned_kernel *kernel;
    int kernel_count;
    struct planned_take *order; /* in the order of the file, which is that of the launches */
    int order_count;
    char *text; /* of plan.txt; the strings above point into it */
};

/* Reads <directory>/plan.txt; the caller frees the plan. Returns 1, or 0 with the reason, a
 * constant string, and an empty plan. */
int watch_plan_read(struct watch_plan *plan, const char *directory, const char **reason);

void watch_plan_free(struct watch_plan *plan);

/* Returns the kernel of the plan with this process and signature, or -1. */
int watch_plan_find(const struct watch_plan *plan, int process,
                    const struct launch_signature *signature);

/* Returns the set of the next launch of the same process and device that is to be profiled after
 * this one, or NO_SET. */
int watch_plan_next_set(const struct watch_plan *plan, int kernel, unsigned ordinal);

/* Returns 1 if two signatures are equal, else 0. */
int launch_signature_is(const struct launch_signature *a, const struct launch_signature *b);

#endif
