/*
 * Times the series of one problem size. A struct timer owns its events; the gate and the workbench
 * are borrowed; series own their samples.
 *
 * Method (results are verified before they are timed, and nothing is timed under a profiler):
 *   - Each sample is timed separately: a gate holds the stream while [stamp, event, launches,
 * event, stamp] are queued behind it, so that the timed window contains no launch latency of the
 * host (NVIDIA/nvbench's blocking kernel). Under a profiler that serialises launches the stream is
 *     not held (gpu/other_profilers.h), and the fact `timing` says that times are not clean.
 *   - cold: the L2 cache is flushed before (stream_gate_flush_l2); its persisting part is reset
 *     once per size. warm: the same launches run once right before.
 *   - end_to_end: one pair of events around all launches. kernels: one pair around each launch,
 *     summed; a pair costs about event_overhead_ns (run.txt), which is not subtracted. Events have
 *     times of whole nanoseconds (32 ns apart on an H200); CUDA gives their difference as a float
 *     of milliseconds, whose further digits mean nothing.
 *   - All series of a size take turns in rounds, each in a new random order, so that drift affects
 *     all of them.
 *   - A series has converged when the 95 % interval of its median is narrower than 1 % of it. It
 *     stays in the rounds until all series have converged or are at the cap on samples.
 *   - A series that has used up its share of the time stops, but not before it has LEAST_OF_SLOW
 *     samples that are not throttled, or three times as many in all, so that a slow rung takes no
 *     time from the others. The share is the cap on time divided by the number of series. The
 *     reason why a series ended is recorded.
 *   - The SM clock is measured with each sample. A sample whose clock is below 95 % of the median
 *     clock of its series is set aside as throttled. If a whole series has a lower clock than the
 *     others, the load of its kernel lowers it: that is a property of the kernel (cause
 * throttling).
 *   - Every cold end-to-end series has a twin of the same kind in the same rounds (copy b): the A/A
 *     pair that gives its noise floor.
 *   - Variants that run on the CPU are timed apart (timer_cpu_samples).
 */
#ifndef WHYFAST_GPU_TIMER_H
#define WHYFAST_GPU_TIMER_H

#include "catalog/registry.h"
#include "gpu/stream_gate.h"
#include "gpu/workbench.h"

struct series {
    const struct selected *selected;
    enum l2_state l2;
    enum sample_kind kind;
    char copy;
    int is_main; /* the first of its point */
    int count, capacity;
    int warming;           /* samples are discarded while clocks rise */
    double seconds;        /* time that its samples have taken, preparation included */
    int dropped;           /* it takes no part in further rounds */
    struct sample *sample; /* room for `capacity` samples */
    const char *stop_reason;
};

struct timer {
    struct stream_gate *gate;
    struct workbench *bench; /* NULL if only timer_window is used */
    cudaEvent_t event[128];  /* pairs */
};

int timer_open(struct timer *timer, struct stream_gate *gate, struct workbench *bench);
void timer_close(struct timer *timer);

/* Takes a sample's time and clock. Announces it, as number series->count, and its values
 * (run/nvtx.h). */
int timer_sample(void *timer, const struct series *series, struct sample *sample);

/* Measures the median time between two events with nothing in between, in ns. */
int timer_overhead(struct timer *timer, double *overhead_ns);

/* Times one window: holds the stream, calls `queue` to queue launches and events between two stamps
 * of the SM clock, releases the stream and waits. Returns OUTSIDE_AGAIN if the window must be
 * repeated. */
int timer_window(struct timer *timer, int (*queue)(void *context), void *context);

/* Queues event `index`; the time between the events of the first `pairs` pairs, after the window.
 */
int timer_record(struct timer *timer, unsigned index);
int timer_elapsed(struct timer *timer, unsigned pairs, double *time_ns);

/* Fills two series of one point that runs on the CPU, in turns; the second is the twin for the
 * noise floor. Takes at least 7 samples each, at most 25, until most_seconds have passed. Times are
 * those of the monotonic clock around the call. The CPU's caches are not flushed (they can be
 * larger than the input), so the series is a warm one. Returns 0 or FAIL_INTERRUPTED. */
int timer_cpu_samples(const struct workbench *bench, struct series *a, struct series *b,
                      double most_seconds);

/* ---- rounds (measure/sampling_rounds.c) ------------------------------------------------------ */

struct rounds {
    struct series *series;
    int count, most_samples;
    double most_seconds; /* in equal shares for the series */
    uint64_t *random;    /* gives the order of each round */
    /* takes one sample of a series; a failure ends the rounds */
    int (*sample)(void *context, const struct series *series, struct sample *sample);
    double (*seconds)(void *context); /* a clock; NULL: the system's monotonic clock */
    void *context;
};

/* The smallest number of samples whose order statistics give a 95 % interval of the median. */
enum { LEAST_OF_SLOW = 6 };

/* Returns 1 if a series takes part in the next round, else 0. Its samples so far took `seconds`;
 * share_seconds is its share of the time. */
int series_goes_on(int samples, double seconds, double share_seconds);

/* Takes samples of the series until all that still take part have converged or have most_samples.
 * Marks throttled samples, and sets each series' stop_reason. */
int sampling_rounds_run(const struct rounds *rounds);

#endif
