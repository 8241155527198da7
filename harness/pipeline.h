/*
 * THE MAP: the stages of whyfast in the order in which data flow, one prototype each. Every stage
 * after `collect` reads only the files of the run directory and writes more of them; nothing is
 * owned here, a stage borrows the struct run for the time of the call.
 *
 *   registry ── selection ──► measure ─► points, launches, accesses, series, samples  needs a GPU;
 *       never under a profiler
 *                    ├──────► ceilings ─► ceilings                                  needs a GPU:
 *                        what the device can do at most
 *                    └──────► collect ─► counters                                    needs a GPU
 *                        and CUPTI
 *
 *   points, samples ─► probes, one process each ─► lines ─► sources, kernels, lines  needs a GPU
 *       and CUPTI; after everything was timed
 *   points, samples ─► traces ─► traces, activities, trace_samples                    needs a GPU
 *       and CUPTI; likewise
 *   all stages above ─► stages                                                        what was done
 *       when (stages.h)
 *   every stage ─► ranges, marks and counters for a profiler from outside (annotate.h); without
 *     doing anything: dry_run.h
 *
 *   run.txt, tables, metrics/<name>.metric ► evaluate ► metrics, noise, kernel_counters, impossible
 *     no GPU from here on
 *   tables, metrics, metrics/<name>.rule ──► explain ─► steps, verdicts, published_steps, findings,
 *     ablation, demands,
 *                                                       predictions, declared
 *   metrics, lines, metrics/<name>.metric ─► explain ─► ledger, levels, causes, headlines: what
 *     each step's change of time is put down to
 *   traces, …, metrics/timeline.metric ────► explain ─► phases: ramp, middle and tail of what was
 *     sampled (tracks.h, phases.h)
 *   tables, plots/<name>.gp ───────────────► plot ────► charts/<name>.svg, .png
 *   tables, charts, reports/template.* ────► report ──► report.md, report.html
 *   sources, kernels, lines, the sources ──► lines ───► stdout: a kernel's source with what was
 *     counted at each line (lines_view.h)
 *   stages, traces, …, metrics/timeline.metric ► timeline ► trace.json: what ran when, and counters
 *     over time (timeline_view.h)
 *   metrics, ledger of a run or of two ────► explain ─► stdout: the same for any two points
 *     (difference.h)
 *   points, samples, metrics of two runs ──► compare ─► stdout: what became slower or faster
 *     (compare.h)
 *
 * All return 0 or a failure of message.h, having said why.
 */
#ifndef WHYFAST_PIPELINE_H
#define WHYFAST_PIPELINE_H

#include "registry.h"
#include "run.h"

struct measure_options {
    uint64_t seed;       /* of the inputs and of the order of the samples */
    int most_samples;    /* cap on samples per series */
    double most_seconds; /* of one problem size, in equal shares for its series (measure.h) */
};

struct collect_options {
    const char *sets; /* comma-separated names of counter sets; NULL: all */
    int repeats;      /* how often each counter is collected, for its noise; slow ones less often
                         (collect.h) */
    int demand;       /* counters that cannot be had are a failure, not an absence */
    const char *keep_image; /* write the raw counter-data image of the first batch of points here,
                               or NULL */
};

/* Opens the GPU and writes what the run is about: provenance into run.txt, families, variants,
 * claims, published. */
int describe_run(struct run *run, const struct selection *selection,
                 const struct measure_options *options);
int measure_run(struct run *run, const struct selection *selection,
                const struct measure_options *options);

/* What the device can do at most: bandwidths, arithmetic, launches, verified and timed as the
 * points are. Writes ceilings; what cannot be had is absent, with the reason. */
int ceilings_run(struct run *run, const struct measure_options *options);

/* What of the counter sets that are asked for is there to collect: counters of whole launches
 * (collect_run), single instructions (lines_run), kernels and counters over time (traces_run). */
struct collect_asked {
    int counters;
    int lines;
    int traces;
};

/* FAIL_USAGE for the name of a set that there is not. */
int collect_asked(const char *sets, struct collect_asked *asked);

/* Why no counters can be had in this process: a tool from outside holds CUPTI; NULL while none
 * is known to. Asks CUPTI once, where the environment names such a tool. */
const char *counters_held(void);

/* Goes on without what `reason` refuses, with a warning that `what` is not collected; where one
 * tool from outside is the reason of all that is refused, it is said once. FAIL_GPU, said, where
 * counters were demanded. */
int collect_refused(const struct collect_options *options, const char *what, const char *reason);

int collect_run(struct run *run, const struct selection *selection,
                const struct measure_options *options, const struct collect_options *collect);

/* What single instructions did, for one size of each family, in the fastest setting of each
 * variant: starts `program`, which is this one, as probes (probe.h). Writes sources, kernels,
 * lines. What cannot be had is absent, with the reason; with `demand` it is a failure when all
 * counts, or all samples, or a whole family's cannot. */
int lines_run(struct run *run, const struct measure_options *options, int demand,
              const char *program);

/* When each kernel ran, and counters over time, of the fastest setting of each variant: CUPTI's
 * activity records at every size, its PM sampling at the largest of each family, by the sets
 * that are asked for. Writes traces, activities, trace_samples. What cannot be had is absent,
 * with the reason. */
int traces_run(struct run *run, const struct measure_options *measure,
               const struct collect_options *options);

struct launch_options {
    uint64_t seed; /* of the inputs */
    int times;     /* that each point is launched */
};

/* Launches every selected point so many times, each after a flush of the L2 cache, for an
 * external profiler; prints one CSV row per launch. */
int launch_run(const struct selection *selection, const struct launch_options *options);

/* 1 when this machine has a GPU that can be measured; warns when there is one that cannot be
 * used. 0 also in a build without CUDA. */
int gpu_present(void);

/* Name of the first GPU, which the caller frees; NULL, said, when it cannot be had. */
char *device_name(void);

/* Which board it is, in words, which the caller frees; NULL, said, when it cannot be had. */
char *device_identity(void);

/* Default name for a run's directory, "<device>-<date>", which the caller frees; NULL, said,
 * when it cannot be had. */
char *run_default_name(void);

int evaluate_run(struct run *run);
int explain_run(struct run *run);
int plot_run(struct run *run);

/* The fact replay_of names the recorded run that is shown in place of this machine's. Without
 * charts/ the report says so. `draw_pictures` (plot_run, or NULL) is done before the pages are
 * filled. */
int report_run(struct run *run, int (*draw_pictures)(struct run *run));

/* Directory that holds metrics/, plots/ and reports/, and kernels/; NULL, said, when it cannot
 * be found. The caller frees. data_find says nothing. */
char *data_directory(void);
char *data_find(void);

#endif
