#include "collect/timeline_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "base/text.h"
#include "machine_code/kernel_name.h"
#include "gpu/launch_variant.h"
#include "driver/other_profilers.h"
#include "query/track_values.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

enum {
    MOST_REPEATS = 64,
    LEAST_SAMPLES = 60,
    MOST_SAMPLES = 120,
    IDLE_INTERVALS = 8, /* before the launch and after it */
    KEPT_AROUND = 4     /* samples before the first kernel and after the last */
};

static const uint64_t intervals_ns[] = {2000,   3000,   5000,    7000,    10000,   15000,  20000,
                                        30000,  50000,  70000,   100000,  150000,  200000, 300000,
                                        500000, 700000, 1000000, 1500000, 2000000, 3000000};

enum { INTERVAL_COUNT = sizeof intervals_ns / sizeof *intervals_ns };

void timeline_interval(double time_ns, uint64_t *interval_ns, int *repeats)
{
    const double ns = time_ns > 1 ? time_ns : 1; /* also if the time is unknown */
    const double wanted = ceil(LEAST_SAMPLES * (double)intervals_ns[0] / ns);
    *repeats = wanted > MOST_REPEATS ? MOST_REPEATS : (int)wanted;
    int i = 0;
    while (i + 1 < INTERVAL_COUNT && ns * *repeats > MOST_SAMPLES * (double)intervals_ns[i]) i++;
    *interval_ns = intervals_ns[i];
}

void timeline_free(struct timeline *timeline)
{
    activities_free(&timeline->kernels);
    for (int i = 0; i < timeline->sample_count; i++) free(timeline->sample[i].value);
    free(timeline->sample);
}

/* ---- kernels and samples --------------------------------------------------------------------- */

/* Kernels before those of the point. */
static int gates(void)
{
    return other_profilers_unheld() ? 0 : 1;
}

/* Sets the reason if the records cannot be those of the gate and one run. `expected` is how many
 * kernels a run launches, 0 if that is not known. */
static void judge_records(const struct activities *taken, unsigned expected, uint64_t since_ns,
                          char reason[REASON_BYTES])
{
    const int own = taken->count - gates();
    if (own <= 0 || (expected && (unsigned)own != expected))
        snprintf(reason, REASON_BYTES,
                 "CUPTI recorded %d kernels, which is not the number of one run",
                 own < 0 ? 0 : own);
    for (int i = 0; i < taken->count && !*reason; i++)
        if (taken->kernel[i].begin_ns < since_ns ||
            taken->kernel[i].end_ns < taken->kernel[i].begin_ns)
            snprintf(reason, REASON_BYTES, "CUPTI could not tell when its kernels ran");
}

/* Moves the records of one run, without that of the gate, into the timeline. */
static int add_kernels(struct timeline *timeline, struct activities *taken, int repeat)
{
    const int own = taken->count - gates();
    struct activities *kept = &timeline->kernels;
    struct kernel_activity *grown =
        realloc(kept->kernel, (size_t)(kept->count + own) * sizeof *grown);
    if (!grown) return error_memory();
    kept->kernel = grown;
    for (int i = 0; i < own; i++) {
        struct kernel_activity *kernel = &grown[kept->count++];
        *kernel = taken->kernel[gates() + i];
        kernel->repeat = repeat;
        kernel->launch = i;
        taken->kernel[gates() + i].symbol = NULL;
    }
    return 0;
}

/* Keeps the kernels of all runs, or of none with the reason. */
static int keep_kernels(struct activity_recorder *recorder, struct timeline *timeline, int repeat)
{
    const struct variant *variant = timeline->selected->variant;
    const unsigned launches = variant_kind(variant) == KIND_KERNEL
                                  ? variant_launches(variant, &timeline->selected->point)
                                  : 0;
    char *reason = timeline->kernels_reason;
    struct activities taken = {0};
    if (*reason) return 0;
    int result = activity_recorder_take(recorder, &taken, reason);
    if (!result) judge_records(&taken, launches, timeline->begin_ns, reason);
    if (!result && !*reason) result = add_kernels(timeline, &taken, repeat);
    if (*reason) activities_free(&timeline->kernels);
    activities_free(&taken);
    return result == FAIL_GPU ? 0 : result; /* the timeline has the reason */
}

/* Returns 1 if an SM held a warp in this sample, by one of the tracks that tell. */
static int is_busy(const struct counter_set *tracks, const struct over_time_sample *sample)
{
    for (int p = 0; p < tracks->count; p++)
        if (track_values_holds_warps(tracks->plan[p].counter->name) && sample->value[p] > 0)
            return 1;
    return 0;
}

/* Keeps the samples in which the kernels ran, and some around them. */
static void trim_samples(struct timeline *timeline)
{
    int first = timeline->sample_count, last = -1, kept = 0;
    for (int i = 0; i < timeline->sample_count; i++) {
        if (!is_busy(timeline->tracks, &timeline->sample[i])) continue;
        if (last < 0) first = i;
        last = i;
    }
    for (int i = 0; i < timeline->sample_count; i++) {
        const struct over_time_sample sample = timeline->sample[i];
        if (i < first - KEPT_AROUND || i > last + KEPT_AROUND)
            free(sample.value);
        else
            timeline->sample[kept++] = sample;
    }
    if (last < 0)
        snprintf(timeline->samples_reason, REASON_BYTES, "none of %d samples found a warp on an SM",
                 timeline->sample_count);
    timeline->sample_count = kept;
    if (kept == 0 || timeline->sample[0].begin_ns >= timeline->begin_ns) return;
    snprintf(timeline->samples_reason, REASON_BYTES,
             "CUPTI's times lie before the timeline: the system clock was changed meanwhile");
    while (timeline->sample_count > 0) free(timeline->sample[--timeline->sample_count].value);
}

/* ---- running --------------------------------------------------------------------------------- */

static int launch(struct workbench *bench, const struct timeline *timeline)
{
    nvtx_variant(timeline->selected, -1, 0);
    const int result = launch_all(bench, timeline->selected);
    nvtx_end();
    return result;
}

/* Loads kernels, and lets a library create its handle: either could wait forever while the stream
 * is held. */
static int warm_up(struct workbench *bench, const struct timeline *timeline)
{
    const int calls = variant_kind(timeline->selected->variant) == KIND_LIBRARY;
    struct listed_kernel *kernels = NULL;
    struct kernel_facts facts;
    unsigned count = 0;
    int result = calls ? launch(bench, timeline) : 0;
    if (!result) result = workbench_synchronize(bench);
    if (!result) result = launch_kernels(bench, timeline->selected, &kernels, &count);
    for (unsigned i = 0; i < count && !result; i++) result = kernel_facts(&kernels[i], &facts);
    free(kernels);
    return result;
}

/* Prepares the workbench and drops the records of that. */
static int prepare(struct workbench *bench, struct activity_recorder *recorder)
{
    struct activities none = {0};
    char ignored[REASON_BYTES];
    int result = workbench_prepare(bench);
    if (!result && activity_recorder_take(recorder, &none, ignored) == FAIL_OUTPUT)
        result = FAIL_OUTPUT;
    activities_free(&none);
    return result;
}

/* Runs the point behind the gate, so that none of its launches waits for the host. */
static int run_behind_gate(struct workbench *bench, const struct timeline *timeline)
{
    int result = stream_gate_hold(&bench->gate);
    if (result) return result;
    result = launch(bench, timeline);
    stream_gate_release(&bench->gate); /* also after a failure: the stream must not stay held */
    const int waited = workbench_synchronize(bench);
    if (!result) result = waited;
    return result ? result : stream_gate_judge(&bench->gate);
}

int timeline_record(struct workbench *bench, struct activity_recorder *recorder,
                    struct timeline *timeline)
{
    int result = warm_up(bench, timeline);
    timeline->begin_ns = stage_clock_ns();
    for (int i = 0; i < timeline->repeats && !result; i++) {
        do {
            result = prepare(bench, recorder);
            if (!result) result = run_behind_gate(bench, timeline);
        } while (result == OUTSIDE_AGAIN);
        if (!result) result = keep_kernels(recorder, timeline, i);
    }
    timeline->end_ns = stage_clock_ns();
    return result;
}

/* So that there are samples of an idle device before and after the kernels. */
static void pause_intervals(const struct timeline *timeline)
{
    const uint64_t ns = IDLE_INTERVALS * timeline->interval_ns;
    const struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    nanosleep(&time, NULL);
}

int timeline_sample(struct workbench *bench, struct profiler *sampler, struct timeline *timeline)
{
    int ran = 0, result = warm_up(bench, timeline);
    if (!result) result = workbench_prepare(bench);
    timeline->begin_ns = timeline->end_ns = stage_clock_ns();
    if (!result) result = over_time_start(sampler);
    if (result) return result;
    pause_intervals(timeline);
    for (int i = 0; i < timeline->repeats && !ran; i++) ran = launch(bench, timeline);
    const int waited = workbench_synchronize(bench);
    pause_intervals(timeline);
    const int stopped = over_time_stop(sampler, &timeline->sample, &timeline->sample_count);
    timeline->end_ns = stage_clock_ns();
    if (!ran) ran = waited;
    if (ran) timeline->tracks->reason[0] = 0; /* the launch failed: CUPTI is not to blame */
    if (!ran && !stopped) trim_samples(timeline);
    return ran ? ran : stopped;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_status(struct csv_writer *writer, const char *reason)
{
    char status[REASON_BYTES + 16];
    snprintf(status, sizeof status, ABSENT "%s", reason);
    csv_text(writer, *reason ? status : "ok");
}

static void write_head(struct csv_writer *writer, int id, const struct timeline *timeline,
                       uint64_t epoch)
{
    static const char *const triggers[] = {[TRIGGER_TIME] = "time", [TRIGGER_CYCLES] = "cycles"};
    const int sampled = timeline->tracks && !*timeline->samples_reason;
    csv_integer(writer, id);
    point_key_write(writer, &timeline->point->key);
    csv_text(writer, timeline->tracks ? timeline->tracks->name : "kernels");
    CSV_INTEGERS(writer, (int64_t)(timeline->begin_ns - epoch), (int64_t)(timeline->end_ns - epoch),
                 timeline->repeats);
    csv_number(writer, sampled ? (double)timeline->interval_ns : NAN);
    csv_text(writer, sampled ? triggers[timeline->trigger] : NULL);
    write_status(writer, timeline->kernels_reason);
    write_status(writer, timeline->tracks ? timeline->samples_reason : "not asked for");
    csv_end(writer);
}

static int write_kernels(struct csv_writer *writer, int id, const struct timeline *timeline)
{
    for (int i = 0; i < timeline->kernels.count; i++) {
        const struct kernel_activity *kernel = &timeline->kernels.kernel[i];
        char *name = kernel_name(kernel->symbol);
        if (!name) return FAIL_OUTPUT;
        CSV_INTEGERS(writer, id, kernel->repeat, kernel->launch);
        csv_text(writer, name);
        CSV_INTEGERS(writer, (int64_t)(kernel->begin_ns - timeline->begin_ns),
                     (int64_t)(kernel->end_ns - timeline->begin_ns));
        for (int d = 0; d < 3; d++) csv_integer(writer, kernel->grid[d]);
        for (int d = 0; d < 3; d++) csv_integer(writer, kernel->block[d]);
        CSV_INTEGERS(writer, kernel->registers, kernel->static_shared, kernel->dynamic_shared,
                     kernel->stream);
        csv_end(writer);
        free(name);
    }
    return 0;
}

/* To five digits: a sample takes some ten thousand cycles, of which one is a part in the fifth. */
static double rounded(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.5g", value);
    return value == floor(value) ? value : strtod(text, NULL);
}

static void write_samples(struct csv_writer *writer, int id, const struct timeline *timeline)
{
    for (int i = 0; i < timeline->sample_count; i++) {
        const struct over_time_sample *sample = &timeline->sample[i];
        for (int p = 0; p < timeline->tracks->count; p++) {
            if (!timeline->tracks->plan[p].source) continue; /* the chip has no such counter */
            CSV_INTEGERS(writer, id, i, (int64_t)(sample->begin_ns - timeline->begin_ns),
                         (int64_t)(sample->end_ns - timeline->begin_ns));
            csv_text(writer, timeline->tracks->plan[p].counter->name);
            csv_number(writer, rounded(sample->value[p]));
            csv_end(writer);
        }
    }
}

int timeline_write(struct run *run, int id, const struct timeline *timeline)
{
    struct csv_writer *heads = run_writer(run, TABLE_TRACES),
                      *kernels = run_writer(run, TABLE_ACTIVITIES);
    struct csv_writer *samples = run_writer(run, TABLE_TRACE_SAMPLES);
    if (!heads || !kernels || !samples) return FAIL_OUTPUT;
    write_head(heads, id, timeline, stage_epoch_ns(run));
    if (timeline->tracks && !*timeline->samples_reason) write_samples(samples, id, timeline);
    return write_kernels(kernels, id, timeline);
}
