/*
 * Two runs, point by point: which are slower, which faster, and of which nothing can be said. A
 * struct run_comparison owns its database until compare_close; the runs are the caller's.
 *
 * The ratio of a point is its clean time (time_ns) in the second run over that in the first. The
 * runs were measured at different occasions, their rounds are no pairs: the 95 % interval is that
 * of the ratio of the medians of independent samples, by the percentile bootstrap of base/stats.h
 * (B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13), a thousand
 * resamples of both series, as for the steps of a ladder. It is taken of every point: counting
 * drawn indices in place of sorting makes a resample cheap enough.
 *
 * That interval holds the scatter of the samples. How far two series of the same code are apart
 * beyond it cannot be known from them and is measured: by the twins of each run, whose noise floor
 * is the far end of the interval of their ratio. A point is slower when its whole interval lies
 * beyond the larger floor of the two runs, and faster when it would be slower with the runs
 * exchanged. Both together are strict: such a difference is at least four of its standard errors,
 * so that among hundreds of points chance alone gives none. Drift between boards, clocks and days
 * is not chance, and no run can know it: compare_warn tells of other machines, and a threshold
 * tolerates it.
 */
#ifndef WHYFAST_COMPARE_RUNS_H
#define WHYFAST_COMPARE_RUNS_H

#include "query/query.h"
#include "query/variant_names.h"
#include "run/run.h"

struct compare_options {
    const char *const *
        patterns; /* globs over "family/variant", over the variant, or a family; none: everything */
    int pattern_count;
    const char *const *sizes; /* as on the command line; none: all */
    int size_count;
    double threshold_pct; /* slower by less than this is tolerated; the noise floor counts all the
                             same */
    int all_settings;     /* each setting with itself; 0: the best of a variant with its best */
};

enum compare_verdict {
    COMPARE_FAILED, /* was right, its result is wrong now */
    COMPARE_SLOWER,
    COMPARE_TOLERATED, /* slower beyond the noise floor, but not beyond the threshold */
    COMPARE_FASTER,
    COMPARE_NO_EVIDENCE,  /* the interval is not beyond the noise floor */
    COMPARE_NOT_MEASURED, /* right in both runs, but without interval or floor: too few samples */
    COMPARE_ONLY_BEFORE,
    COMPARE_ONLY_AFTER,
    COMPARE_VERDICTS
};

struct run_comparison {
    struct query query; /* its table compared has a row per point, below */
    const struct run *before, *after;
    double threshold_pct;
    int count[COMPARE_VERDICTS];
};

/* As in the column verdict. */
extern const char *const compare_verdicts[COMPARE_VERDICTS];

/* Compares evaluated runs into the table compared, a row per point: family, variant, size,
 * block, sweep_before, sweep_after, verdict, ratio, ratio_low, ratio_high, floor_pct,
 * time_before_ns, time_after_ns, machine_code (same, changed or NULL), reason (why a run lacks
 * the point, or its interval). FAIL_USAGE for a pattern or a size that neither run has;
 * FAIL_INPUT for runs that are damaged, not evaluated, or evaluated before their samples
 * changed. */
int compare_open(struct run_comparison *comparison, const struct run *before,
                 const struct run *after, const struct compare_options *options);
void compare_close(struct run_comparison *comparison);

/* Order of the rows: what failed, then the slowest first. */
extern const char compare_order[];

/* Warns where device, driver or clocks differ, in one line, and of runs in which nothing was
 * measured. */
void compare_warn(const struct run *before, const struct run *after);

/* FAIL_CHECK, said, when a point is slower or failed, or when no point at all is in both runs: a
 * gate must not pass because nothing was looked at. */
int compare_check(const struct run_comparison *comparison);

#endif
