/*
 * One trace: a point runs while CUPTI records its kernels, or while it samples the hardware for a
 * set of tracks. Not both at once: records are made by code that CUPTI adds to the kernels, some
 * nine instructions a warp on an H200, which sampled kernels must be free of. A struct trace owns
 * what it kept until trace_free; the rest is borrowed.
 *
 * Recorded launches are queued behind the gate, so that none waits for the host. A sampled point
 * may run several times in a row, with a cold L2 cache at first only; of its samples those are kept
 * in which an SM held a warp, and a few before and after.
 */
#ifndef WHYFAST_TIMELINE_POINT_H
#define WHYFAST_TIMELINE_POINT_H

#include "catalog/registry.h"
#include "collect/cupti_over_time.h"
#include "collect/kernel_points.h"
#include "gpu/stream_gate.h"
#include "gpu/workbench.h"

/* Where kernels come from, and who looks at them. */
struct trace_source {
    const struct device *device;
    struct workbench bench;
    struct stream_gate gate;
    struct activity_recorder
        *recorder;       /* NULL: kernels are not recorded, and their code is as it was compiled */
    const char *refused; /* why there is none */
};

struct kept_kernel {
    struct kernel_activity activity;
    int repeat, launch;
};

struct kept_sample {
    uint64_t begin_ns, end_ns;
    double *value; /* for each plan of the set */
};

struct trace {
    const struct kernel_point *point;
    const struct selected *selected;
    struct counter_set *tracks; /* NULL: nothing is sampled */
    int repeats;
    uint64_t interval_ns; /* of the samples */
    enum sampler_trigger trigger;
    uint64_t begin_ns, end_ns; /* of the system's clock */
    int kernel_count, sample_count;
    struct kept_kernel *kernel;
    struct kept_sample *sample;
    char kernels_reason[REASON_BYTES],
        samples_reason[REASON_BYTES]; /* why there are none; else "" */
};

/* The shortest interval that does not give too many samples of a point that takes time_ns, and
 * how often it has to run in a row to give enough. */
void trace_interval(double time_ns, uint64_t *interval_ns, int *repeats);

/* Loads its kernels, and runs the point trace->repeats times with a cold L2 cache each. What
 * CUPTI refuses is a reason in the trace. */
int trace_record(struct trace_source *source, struct trace *trace);

/* Runs it in a row, with a sampler that was configured and without a recorder. FAIL_GPU with a
 * reason in trace->tracks when CUPTI refuses; without one, a launch failed. */
int trace_sample(struct trace_source *source, struct trace *trace,
                 struct over_time_sampler *sampler);

/* Writes its rows in traces, activities and trace_samples. */
int trace_write(struct run *run, int id, const struct trace *trace);

void trace_free(struct trace *trace);

#endif
