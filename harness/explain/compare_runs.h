/*
 * Compares two runs point by point: slower, faster, or without evidence of a difference. A struct
 * run_comparison owns its database until compare_close; the runs are the caller's.
 *
 * The ratio of a point is its clean time (time_ns) in the second run over that in the first. The
 * rounds of two runs are not paired, so the 95 % interval is that of the ratio of the medians of
 * independent samples, by the percentile bootstrap of base/stats.h (B. Efron and R. Tibshirani, An
 * Introduction to the Bootstrap (1993), chapter 13), with a thousand resamples of both series, as
 * for the steps of a ladder.
 *
 * That interval covers the scatter of the samples. Two series of the same code can differ by more;
 * the twin series of each run measure this, and their noise floor is the end of the interval of
 * their ratio that is farther from 1. A point is slower if its whole interval lies beyond the
 * larger floor of the two runs, and faster if it would be slower with the runs exchanged. This is
 * strict: such a difference is at least four standard errors, so that among hundreds of points none
 * is expected by chance. Drift between boards, clocks and days is not chance, and a single run
 * cannot show it: compare_warn reports different machines, and a threshold tolerates drift.
 */
#ifndef WHYFAST_COMPARE_RUNS_H
#define WHYFAST_COMPARE_RUNS_H

#include "query/query.h"
#include "query/variant_names.h"
#include "query/verdict.h"
#include "run/run.h"

struct compare_options {
    const char *const *
        patterns; /* globs over "family/variant", over the variant, or a family; none: everything */
    int pattern_count;
    const char *const *sizes; /* as on the command line; none: all */
    int size_count;
    double threshold_pct; /* slower by less than this is tolerated, if it exceeds the noise floor */
    int gates;            /* 1: equal machine code is as fast, and counts are compared */
    int all_settings;     /* 1: each setting with itself; 0: the best of a variant with its best */
};

enum compare_verdict {
    COMPARE_FAILED, /* correct in the first run, wrong in the second */
    COMPARE_SLOWER,
    COMPARE_TOLERATED, /* slower beyond the noise floor, but not beyond the threshold */
    COMPARE_FASTER,
    COMPARE_NO_EVIDENCE,  /* the interval is not beyond the noise floor */
    COMPARE_NOT_MEASURED, /* correct in both runs, but without interval or floor: too few samples */
    COMPARE_ONLY_BEFORE,
    COMPARE_ONLY_AFTER,
    COMPARE_VERDICTS
};

struct run_comparison {
    struct query query; /* its table compared has a row per point, below */
    const struct run *before, *after;
    double threshold_pct;
    int count[COMPARE_VERDICTS];
    int two_devices; /* 1: the runs are of two devices, and the table device_line compares them:
                        place, title, unit, before, after */
};

/* Texts of the column verdict. */
extern const char *const compare_verdicts[COMPARE_VERDICTS];

/* Compares evaluated runs into the table compared, a row per point: family, variant, size, block,
 * sweep_before, sweep_after, verdict, ratio, ratio_low, ratio_high, floor_pct, time_before_ns,
 * time_after_ns, machine_code (same, changed or NULL), reason (why the point or its interval is
 * missing, with its code in reason_code), account (of two devices: why the variant is faster on one
 * of them, or why it is not). Returns FAIL_USAGE for a pattern or a size that neither run has;
 * FAIL_INPUT for runs that are damaged, not evaluated, or evaluated before their samples changed.
 */
int compare_open(struct run_comparison *comparison, const struct run *before,
                 const struct run *after, const struct compare_options *options);
void compare_close(struct run_comparison *comparison);

/* Order of the rows: failures, then slower and faster ones, the slowest first, then the others. */
extern const char compare_order[];

/* Warns in one line if device, driver or clocks differ, and of runs without measurements. */
int compare_warn(struct run_comparison *comparison);

/* How many points are slower and so on; those that are tolerated are not counted. */
struct decision_counts compare_counts(const struct run_comparison *comparison);

/* Says what all points say together. The runs are not comparable if no point is in both, or if a
 * guard of these names fails (compare_guards.sql): *refusal is then its words, which the caller
 * frees. */
#define COMPARE_CONDITIONS "inputs sizes"
int compare_decision(struct run_comparison *comparison, const char *conditions,
                     enum decision *decision, char **refusal);

/* Returns, with a message, FAIL_CHECK if a point is slower or failed, and FAIL_COMPARE if the runs
 * are not comparable, because a gate must not pass without a comparison. */
int compare_check(struct run_comparison *comparison);

#endif
