/*
 * Collects what CUPTI tells of the points of a run. Nothing is owned.
 */
#ifndef WHYFAST_COLLECT_COUNTERS_H
#define WHYFAST_COLLECT_COUNTERS_H

#include "catalog/registry.h"
#include "run/run.h"

struct collect_options {
    const char *sets;       /* comma-separated names of counter sets; NULL: all */
    int repeats;            /* of each counter, for its noise; slow points have fewer */
    int demand;             /* a counter that is unavailable is a failure, not an absence */
    const char *keep_image; /* the file for the raw counter data of the first batch, or NULL */
};

/* The stages that the counter sets ask for: counters of whole launches (collect_run), single
 * instructions (lines_run), kernels and counters over time (timeline_run). */
struct collect_asked {
    int counters;
    int lines;
    int timeline;
};

/* Returns FAIL_USAGE for the name of an unknown set. */
int collect_asked(const char *sets, struct collect_asked *asked);

/* The reason why this process can collect no counters: another tool holds CUPTI; NULL if none is
 * known to. Asks CUPTI once, if the environment names such a tool. */
const char *counters_held(void);

/* Warns that `what` is not collected, and why; a tool that holds CUPTI is named once. Returns
 * FAIL_GPU, with a message, if counters were demanded, else 0. */
int collect_refused(const struct collect_options *options, const char *what, const char *reason);

/* Collects the counters of every launch of the selected points; writes counters. */
int collect_run(struct run *run, const struct selection *selection, uint64_t seed,
                const struct collect_options *options);

/* Counts and samples single instructions at one size of each family, in the fastest setting of each
 * variant, after everything was timed; writes sources, source_files, kernels and lines. Data that
 * are unavailable are absent, with the reason; with `demand` it is a failure if all counts, all
 * samples or all kernels of a family are. */
int lines_run(struct run *run, uint64_t seed, int demand, const char *program);

/* Records when each kernel ran, and counters over time, for the fastest setting of each variant,
 * after everything was timed. At every size each point runs a few times with a cold L2 cache while
 * CUPTI records its kernels; at the largest size of each family it runs once more for each set of
 * tracks that is asked for, while the hardware is sampled (collect/timeline_point.h). Writes
 * traces, activities and trace_samples. Data that are unavailable are absent, with the reason. */
int timeline_run(struct run *run, uint64_t seed, const struct collect_options *options);

/* Probes print CSV on stdout (collect/probe.c), and on stderr the reason of a failure. */

/* Counts at the instructions of one launch of the only selected point. The launches before it run
 * first, uncounted. Returns FAIL_USAGE if another number of points is selected, FAIL_GPU, with a
 * message, if the launch cannot be counted. */
int probe_counts(const struct selection *selection, uint64_t seed, unsigned launch);

/* Samples every launch of the selected points, which must be of one family and size, except
 * launches whose kernel an earlier launch of the point had. Each is launched several times, after a
 * flush of the L2 cache, until there are about 100000 samples. */
int probe_samples(const struct selection *selection, uint64_t seed);

#endif
