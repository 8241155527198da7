/*
 * What the program does when: a stage of work is announced when it begins (to a profiler from
 * outside, run/nvtx.h) and noted in stages.csv when it ends well. A struct stage borrows its
 * strings until stage_end, which must be called on every path.
 *
 * Times are nanoseconds since the run's first stage began (the fact epoch_ns), of the system's
 * clock as it was when the process first asked; from there on it runs evenly and is never set back.
 * CUPTI gives the device's times on the same clock (collect/cupti_over_time.h). A resumed run goes
 * on behind what it wrote, on the same axis. A stage that was done again, by another 'collect',
 * stands there for each time.
 */
#ifndef WHYFAST_RUN_STAGES_H
#define WHYFAST_RUN_STAGES_H

#include "catalog/registry.h"
#include "run/run.h"

/* Names of stages: what does them and what only says what would be done (dry_run.h) take them
 * from here. */
#define STAGE_MEASURE "measure"
#define STAGE_CEILINGS "ceilings"
#define STAGE_COLLECT "collect"
#define STAGE_LINES "lines"
#define STAGE_TIMELINE "timeline"
#define STAGE_LAUNCH "launch"
#define STAGE_PROBE "probe"
#define STAGE_EVALUATE "evaluate"
#define STAGE_EXPLAIN "explain"
#define STAGE_PLOT "plot"
#define STAGE_REPORT "report"

struct stage {
    struct run *run;
    const char *name;   /* "measure" */
    const char *family; /* NULL: of the whole run */
    char size[72];      /* "" then */
    uint64_t begin_ns;  /* of that clock */
};

/* That clock, ns since 1970. */
uint64_t stage_clock_ns(void);

/* What it showed at this time of the system's clock, which stands behind it when that was set
 * back since the run began. */
uint64_t stage_clock_of(uint64_t system_ns);

/* What run times count from: set by the first stage of a run. 0 before. */
uint64_t stage_epoch_ns(const struct run *run);

/* `first` says family and size; NULL for a stage about the run as a whole. A NULL run: nothing
 * is noted, and nothing fails. FAIL_OUTPUT when memory is short, FAIL_INPUT when stages.csv is
 * damaged; stage_end is still due. */
int stage_begin(struct stage *stage, struct run *run, const char *name,
                const struct selected *first);

/* Writes the row when `result` is 0. Returns the first failure. */
int stage_end(struct stage *stage, int result);

/* A stage that is announced and not noted: `work` of the run, its result returned. */
int stage_work(const char *name, int (*work)(struct run *run), struct run *run);

#endif
