/*
 * Collects CUPTI's counters, counts and samples for the points of a run. Nothing is owned.
 */
#ifndef WHYFAST_COLLECT_COUNTERS_H
#define WHYFAST_COLLECT_COUNTERS_H

#include "base/process.h"
#include "catalog/point_key.h"
#include "catalog/registry.h"
#include "run/run.h"

struct collect_options {
    const char *sets; /* comma-separated names of counter sets; NULL: all */
    int repeats;      /* of each counter, for its noise; slow points have fewer, and counts by
                         instrumentation have one */
    int demand;       /* fail if a counter is unavailable, instead of recording its absence */
};

/* The stages that the counter sets ask for: counters of whole launches (collect_run), single
 * instructions (lines_run), kernels and counters over time (timeline_run), costs knocked out of the
 * machine code (knockout/knockout_run.h). */
struct collect_asked {
    int counters;
    int lines;
    int timeline;
    int knockouts, few_knockouts; /* few: of the fastest rungs and the largest steps */
};

/* Returns FAIL_USAGE for the name of an unknown set. */
int collect_asked(const char *sets, struct collect_asked *asked);

/* Returns the reason why this process cannot collect counters, which is another tool that uses
 * CUPTI, or NULL. Asks CUPTI once, if the environment names such a tool. */
const char *counters_held(void);

/* Warns that `what` is not collected, with the reason; if a tool uses CUPTI, warns only once.
 * Returns FAIL_GPU, with a message, if counters were demanded, else 0. */
int collect_refused(const struct collect_options *options, const char *what, const char *reason);

/* Collects the counters of every launch of the selected points; writes counters. */
int collect_run(struct run *run, const struct selection *selection, uint64_t seed,
                const struct collect_options *options);

/* Counts and samples single instructions at one size of each family, in the fastest setting of each
 * variant, after all timing; writes sources, source_files, kernels and lines. Unavailable data are
 * recorded as absent, with the reason; with `demand` it is a failure if all counts, all samples or
 * all kernels of a family are unavailable. */
int lines_run(struct run *run, uint64_t seed, int demand, const char *program);

/* Records when each kernel ran, and counters over time, for the fastest setting of each variant,
 * after all timing. At every size each point runs a few times with a cold L2 cache while CUPTI
 * records its kernels; at the largest size of each family it runs again for each selected set of
 * tracks, while the hardware is sampled (collect/timeline_point.h). Writes traces, activities and
 * trace_samples. Unavailable data are recorded as absent, with the reason. */
int timeline_run(struct run *run, uint64_t seed, const struct collect_options *options);

/* Probes print CSV on stdout, and on stderr the reason for a failure (collect/probe.c). */

struct probe_request {
    const char *program;      /* this one */
    const char *const *words; /* "counts", and what that takes, up to NULL */
    uint64_t seed;            /* for the inputs */
    int launch;               /* of the point; -1: all */
};

/* Starts a probe for `count` points of one family and size. */
int probe_start(const struct probe_request *request, const struct point_key *const *key, int count,
                struct process *child);

/* Counts the instructions of one launch of the only selected point. The launches before it run
 * first, uncounted. Returns FAIL_USAGE if another number of points is selected, FAIL_GPU, with a
 * message, if the launch cannot be counted. */
int probe_counts(const struct selection *selection, uint64_t seed, unsigned launch);

/* Samples the launches of the selected points, which must be of one family and size. If several
 * launches of a point run the same kernel, only the first is sampled. Each is launched several
 * times, after a flush of the L2 cache, until there are about 100000 samples. */
int probe_samples(const struct selection *selection, uint64_t seed);

#endif
