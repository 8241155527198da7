/*
 * Records the timeline of one point: runs it while CUPTI records its kernels, or while CUPTI
 * samples the hardware for a set of tracks. It never does both together: for the records CUPTI adds
 * code to the kernels, about nine instructions per warp on an H200, and sampled kernels must not
 * contain it. A struct timeline owns its kernels and samples until timeline_free; the rest is
 * borrowed.
 *
 * Recorded launches are queued behind the gate, so that none waits for the host. A sampled point
 * may run several times in a row, with a cold L2 cache only in the first run. The samples in which
 * an SM held a warp are kept, and a few before and after them.
 */
#ifndef WHYFAST_TIMELINE_POINT_H
#define WHYFAST_TIMELINE_POINT_H

#include "collect/collector.h"
#include "collect/kernel_points.h"

struct timeline {
    const struct kernel_point *point;
    const struct selected *selected;
    struct counter_set *tracks; /* NULL: kernels are recorded and nothing is sampled */
    int repeats;
    uint64_t interval_ns; /* of the samples */
    enum sampler_trigger trigger;
    uint64_t begin_ns, end_ns; /* of the system's clock */
    struct activities kernels;
    int sample_count;
    struct over_time_sample *sample;
    char kernels_reason[REASON_BYTES], samples_reason[REASON_BYTES]; /* why there are none; "" */
};

/* Chooses the shortest interval that does not give too many samples of a point that takes time_ns,
 * and how many times the point must run in a row to give enough samples. */
void timeline_interval(double time_ns, uint64_t *interval_ns, int *repeats);

/* Loads the kernels, then runs the point timeline->repeats times, each with a cold L2 cache. A
 * refusal of CUPTI becomes kernels_reason. */
int timeline_record(struct workbench *bench, struct activity_recorder *recorder,
                    struct timeline *timeline);

/* Runs the point timeline->repeats times in a row, with a configured sampler and without a
 * recorder. Returns FAIL_GPU with timeline->tracks->reason if CUPTI refuses, without a reason if a
 * launch failed. */
int timeline_sample(struct workbench *bench, struct profiler *sampler, struct timeline *timeline);

/* Writes the rows of the timeline in traces, activities and trace_samples. */
int timeline_write(struct run *run, int id, const struct timeline *timeline);

void timeline_free(struct timeline *timeline);

#endif
