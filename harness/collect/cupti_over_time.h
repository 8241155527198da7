/*
 * Looks at kernels over time: when each ran (CUPTI's activity records), and hardware counters at
 * fixed intervals meanwhile (PM sampling). Both are on the clock of run/run_stages.h; on an H200
 * they agree within a microsecond. collect/timeline_point.h says why they are not used at once. A
 * recorder and a sampler own what they point to until they are closed. While a recorder is open,
 * CUPTI's own code is in the kernels. CUPTI's headers are included in cupti*.c only.
 *
 * Found by trying on an H200, with CUPTI 13.0:
 *   - Setting an interval takes 0.1 s and works once in a session: a second setting succeeds and
 *     changes nothing. Starting and stopping take 2 ms.
 *   - The first sample after a start reaches back to the begin of the session or the last stop and
 *     says nothing. The hardware keeps up with 2 us and less.
 *   - If the hardware's buffer overflows, all samples and the session are lost. It fills with time
 * as well as with samples: 64 MB are too few for 2.3 s at one sample every 3 ms.
 *   - If the image into which samples are decoded is full, the rest is lost silently.
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
    int repeat, launch; /* of the timeline that keeps it */
};

struct activities {
    int count;
    struct kernel_activity *kernel; /* by their begin */
};

struct activity_recorder;

/* Records every kernel from now on; one recorder in a process at a time. Returns FAIL_GPU with the
 * reason on failure. */
int activity_recorder_open(struct activity_recorder **recorder, struct cupti *cupti,
                           char reason[REASON_BYTES]);
void activity_recorder_close(struct activity_recorder *recorder);

/* Takes the kernels since the last call, which must have ended. The caller frees *activities.
 * Returns FAIL_GPU with the reason if some were lost; *activities has the others. */
int activity_recorder_take(struct activity_recorder *recorder, struct activities *activities,
                           char reason[REASON_BYTES]);
void activities_free(struct activities *activities);

/* ---- counters -------------------------------------------------------------------------------- */

/* Each sample is started by a timer, if the chip has one (not Turing and GA100), else by cycles of
 * its system clock, which varies. */
enum sampler_trigger { TRIGGER_BEST, TRIGGER_TIME, TRIGGER_CYCLES };

/* Resolves the tracks of the set, which must all fit into one pass. Returns FAIL_GPU with
 * set->reason if they are unavailable. */
int over_time_open(struct profiler **sampler, struct cupti *cupti, struct counter_set *set);
void over_time_close(struct profiler *sampler);

struct over_time_plan {
    uint64_t interval_ns;
    double duration_ns;           /* most, of the kernels between start and stop */
    enum sampler_trigger trigger; /* wanted */
    int sm_clock_khz;             /* converts the interval to cycles */
};

/* Opens a session; *got is its trigger. To be called again for another plan, and after a failure.
 * Returns FAIL_GPU with set->reason on failure. */
int over_time_configure(struct profiler *sampler, const struct over_time_plan *plan,
                        enum sampler_trigger *got);

/* `value` has one value for each plan of the set, NAN if the chip has no such counter or CUPTI no
 * number. */
struct over_time_sample {
    uint64_t begin_ns, end_ns;
    double *value;
};

int over_time_start(struct profiler *sampler);

/* Stops. *samples are all but the first, in their order; the caller frees them and their values,
 * also after a failure. Returns FAIL_GPU with set->reason if some were lost. */
int over_time_stop(struct profiler *sampler, struct over_time_sample **samples, int *count);

#endif
