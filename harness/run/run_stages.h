/*
 * Opens an NVTX range when a stage of work begins (run/nvtx.h), and writes a row of stages.csv when
 * it ends without failure. A struct stage borrows its strings until stage_end, which must be called
 * on every path.
 *
 * Times are ns since the run's first stage began (the fact epoch_ns). They come from a steady clock
 * that starts at the system's time and is never set back. CUPTI gives the device's times on the
 * same clock (collect/collector.h). The clock of a resumed run continues after the stages that the
 * run already has. A stage that is repeated by another 'collect' has a row for each time.
 */
#ifndef WHYFAST_RUN_STAGES_H
#define WHYFAST_RUN_STAGES_H

#include "catalog/registry.h"
#include "run/run.h"

/* Names of stages, also for dry_run.h. */
#define STAGE_MEASURE "measure"
#define STAGE_CEILINGS "ceilings"
#define STAGE_COLLECT "collect"
#define STAGE_LINES "lines"
#define STAGE_TIMELINE "timeline"
#define STAGE_KNOCKOUTS "knockouts"
#define STAGE_LAUNCH "launch"
#define STAGE_PROBE "probe"
#define STAGE_EVALUATE "evaluate"
#define STAGE_EXPLAIN "explain"
#define STAGE_PLOT "plot"
#define STAGE_REPORT "report"

struct stage {
    struct run *run;
    const char *name;   /* "measure" */
    const char *family; /* NULL: the whole run */
    char size[72];      /* "" without a family */
    uint64_t begin_ns;  /* by stage_clock_ns */
};

/* Returns the time of the steady clock, ns since 1970. */
uint64_t stage_clock_ns(void);

/* Converts a time of the system's clock, which is behind the steady clock if it was set back. */
uint64_t stage_clock_of(uint64_t system_ns);

/* Returns the time at which the run's first stage began, or 0 if no stage has begun. */
uint64_t stage_epoch_ns(const struct run *run);

/* `first` gives family and size; NULL for the whole run. If `run` is NULL, nothing is written and
 * nothing fails. Returns FAIL_OUTPUT if memory is short, FAIL_INPUT if stages.csv is damaged; the
 * caller must still call stage_end. */
int stage_begin(struct stage *stage, struct run *run, const char *name,
                const struct selected *first);

/* Writes the row if `result` is 0. Returns the first failure. */
int stage_end(struct stage *stage, int result);

#endif
