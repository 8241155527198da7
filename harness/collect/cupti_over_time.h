/*
 * What the GPU tells of kernels over time: when each ran (CUPTI's activity records) and its
 * hardware counters at fixed intervals meanwhile (PM sampling). Both are on the clock of
 * run/run_stages.h; taken at once, which collect/timeline_point.h says why not to do, they agree
 * within a microsecond on an H200. A recorder and a sampler own what they point to until they are
 * closed. While there is a recorder CUPTI's own code is in the kernels. CUPTI's headers are
 * included in collect_*.c only.
 *
 * Found by trying on an H200, with CUPTI 13.0: an interval is set in 0.1 s and once in a session, a
 * second setting succeeds and changes nothing; starting and stopping take 2 ms. The first sample
 * after a start reaches back to the session's begin or the last stop and says nothing. The hardware
 * keeps up with 2 us and less. When its buffer overflows, all is lost and the session, too; when
 * the image into which it is decoded is full, the rest is lost in silence. The buffer fills with
 * time as well as with samples: 64 MB are too few for 2.3 s at one sample every 3 ms.
 */
#ifndef WHYFAST_CUPTI_OVER_TIME_H
#define WHYFAST_CUPTI_OVER_TIME_H

#include <stdint.h>

#include "collect/collector.h"

/* ---- kernels --------------------------------------------------------------------------------- */

struct kernel_activity {
    char *symbol;
    uint64_t begin_ns, end_ns; /* of the system's clock */
    unsigned grid[3], block[3];
    unsigned registers, static_shared, dynamic_shared; /* per thread; bytes per block */
    unsigned stream;
};

struct activities {
    int count;
    struct kernel_activity *kernel; /* by their begin */
};

struct activity_recorder;

/* Records every kernel from now on. One in a process at a time. FAIL_GPU with the reason. */
int activity_recorder_open(struct activity_recorder **recorder, struct cupti *cupti,
                           char reason[REASON_BYTES]);
void activity_recorder_close(struct activity_recorder *recorder);

/* The kernels since the last time, which must have ended. FAIL_GPU with the reason when some
 * were lost; those that were not are in *activities then, too. The caller frees. */
int activity_recorder_take(struct activity_recorder *recorder, struct activities *activities,
                           char reason[REASON_BYTES]);
void activities_free(struct activities *activities);

/* ---- counters -------------------------------------------------------------------------------- */

/* What starts each sample: a clock of its own, where the chip has one (not Turing and GA100),
 * else the cycles of its system clock, which varies. */
enum sampler_trigger { TRIGGER_BEST, TRIGGER_TIME, TRIGGER_CYCLES };

struct over_time_sampler;

/* Resolves the tracks of the set, all of which must fit into one pass. FAIL_GPU with set->reason
 * when they cannot be had. */
int over_time_open(struct over_time_sampler **sampler, struct cupti *cupti,
                   struct counter_set *set);
void over_time_close(struct over_time_sampler *sampler);

/* What a session is to sample. */
struct over_time_plan {
    uint64_t interval_ns;
    double duration_ns; /* of the kernels that are sampled in one go, at most: for the room that it
                           needs */
    enum sampler_trigger trigger; /* wanted */
    int sm_clock_khz; /* of cycles as many are taken as there are in an interval at this clock */
};

/* Opens a session. *got says which trigger it is. To be called again for another plan, and after
 * a failure. FAIL_GPU with set->reason. */
int over_time_configure(struct over_time_sampler *sampler, const struct over_time_plan *plan,
                        enum sampler_trigger *got);

/* One sample: `value` has one for each plan of the set, NAN where the chip has no such counter
 * or CUPTI no number. */
struct over_time_sample {
    uint64_t begin_ns, end_ns;
    const double *value;
};

typedef int over_time_visitor(void *context, const struct over_time_sample *sample);

int over_time_start(struct over_time_sampler *sampler);

/* Stops and visits all samples but the first, in their order. FAIL_GPU with set->reason when
 * some were lost; else what a visit returned that was not 0. */
int over_time_stop(struct over_time_sampler *sampler, over_time_visitor *visit, void *context);

#endif
