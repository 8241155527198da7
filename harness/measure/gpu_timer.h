/*
 * Clean timing of one problem size. A struct timer owns its gate and events; series own their
 * samples.
 *
 * Method (design: verify before timing, never time under a profiler): - Each sample stands alone:
 * the stream is held by a gate while [stamp, event, launches, event, stamp] are queued behind it,
 * so that no
 *   launch latency of the host falls into the window (NVIDIA/nvbench's blocking kernel).
 *   Where a profiler that serialises launches makes that impossible (gpu/other_profilers.h) nothing
 *     is held,
 *     and the fact `timing` says that times are not clean.
 * - cold: the L2 cache is flushed before (stream_gate_flush_l2); the persisting carve-out is reset
 * once per size. warm: the same launches run once right before. - end_to_end: one pair of events
 * around all launches. kernels: one pair around each launch, summed; a pair costs about
 *   event_overhead_ns (run.txt), which is not subtracted.
 * - All series of a size take turns in rounds, each round in a new random order, so that drift is
 * common to all. - A series has converged when its 95 % interval of the median is narrower than 1 %
 * of the median in all. One that has used up its share of
 *   the time, the cap on time over the number of series, drops out of later rounds, so that a slow
 *     rung takes no time from the others; but it
 *   has LEAST_OF_SLOW samples (measure/sampling_rounds.h) first. All others go on, those that have
 *     converged too, so
 *     that they stay together in the rounds,
 *   until all of them have converged or are at the cap on samples. The reason is recorded.
 * - The SM clock is measured with each sample; one whose clock is below 95 % of the median clock of
 * the size is set aside as throttled. - What runs on the CPU is timed apart, by
 * measure/cpu_timer.h. - Every cold end-to-end series has a twin (copy b), one of the same kind in
 * the same rounds: the A/A pair that gives its noise floor.
 */
#ifndef WHYFAST_GPU_TIMER_H
#define WHYFAST_GPU_TIMER_H

#include "catalog/registry.h"
#include "catalog/series_plan.h"
#include "gpu/stream_gate.h"
#include "gpu/workbench.h"

struct series {
    const struct selected *selected;
    enum l2_state l2;
    enum sample_kind kind;
    char copy;
    int count, capacity;
    int warming;     /* its samples are not kept now: clocks rise */
    double seconds;  /* that its samples have taken, all that belongs to them included */
    int dropped;     /* it takes no part in further rounds */
    int *round;      /* capacity long: in which round each sample was taken */
    double *time_ns; /* capacity long */
    double *clock_mhz;
    unsigned char *throttled;
    const char *stop_reason;
};

struct timer {
    struct workbench *bench;
    struct stream_gate gate;
    cudaEvent_t event[32]; /* pairs */
};

int timer_open(struct timer *timer, struct workbench *bench);
void timer_close(struct timer *timer);

/* Takes one sample; announces it as that of number series->count, and what it found (run/nvtx.h).
 */
int timer_sample(struct timer *timer, const struct series *series, double *time_ns,
                 double *clock_mhz);

/* Median time between two events with nothing in between, ns. */
int timer_overhead(struct timer *timer, double *overhead_ns);

#endif
