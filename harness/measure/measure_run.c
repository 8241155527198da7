#include "measure/measure_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/progress.h"
#include "base/stats.h"
#include "catalog/shared_accesses.h"
#include "gpu/launch_variant.h"
#include "gpu/other_profilers.h"
#include "measure/cpu_timer.h"
#include "measure/gpu_timer.h"
#include "measure/launch_resources.h"
#include "measure/sampling_rounds.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

enum { LONGEST_REASON = 160 };

/* The points of one family and size, which are timed together. */
struct group {
    struct run *run;
    const struct measure_options *options;
    struct workbench bench;
    const struct selected *first;
    int count;
    char (*reason)[LONGEST_REASON]; /* per point, why it is not timed; "" when it is */
    const char **status;            /* per point */
    struct series *series;
    int series_count;
    uint64_t random;
};

static const char *const l2_names[] = {"cold", "warm"};
static const char *const kind_names[] = {"end_to_end", "kernels"};

/* ---- verification ---------------------------------------------------------------------------- */

/* Verifies the points that still count. *wrong counts those that fail now. */
static int verify_points(struct group *group, const char *when, int *wrong)
{
    for (int i = 0; i < group->count; i++) {
        const struct selected *selected = &group->first[i];
        char reason[LONGEST_REASON] = "";
        if (strcmp(group->status[i], "ok")) continue;
        int refused;
        int result = invoke_refuses(&group->bench, selected->variant, &selected->point, &refused,
                                    group->reason[i]);
        if (!result && refused) {
            nvtx_trouble("skipped", selected->variant, group->reason[i]);
            group->status[i] = "skipped";
            continue;
        }
        if (!result)
            result = work_verify(&group->bench, selected->variant, &selected->point, reason);
        if (result == FAIL_CHECK) {
            char size[72];
            group->status[i] = "failed";
            snprintf(group->reason[i], LONGEST_REASON, "%s timing: %.120s", when, reason);
            error(FAIL_CHECK, "%s/%s, size %s, %s: wrong result: %s", selected->variant->family,
                  selected->variant->name, shape_text(&selected->point.shape, size), when, reason);
            (*wrong)++;
        } else if (result) {
            return result;
        }
    }
    return 0;
}

/* ---- series ---------------------------------------------------------------------------------- */

static int add_series(struct group *group, const struct selected *selected,
                      const struct series_kind *kind)
{
    const size_t most = (size_t)group->options->most_samples;
    struct series *series =
        realloc(group->series, (size_t)(group->series_count + 1) * sizeof *series);
    if (!series) return error_memory();
    group->series = series;
    series += group->series_count;
    memset(series, 0, sizeof *series);
    series->selected = selected;
    series->capacity = group->options->most_samples;
    series->l2 = kind->l2;
    series->kind = kind->kind;
    series->copy = kind->copy;
    series->round = calloc(most, sizeof *series->round);
    series->time_ns = calloc(most, sizeof *series->time_ns);
    series->clock_mhz = calloc(most, sizeof *series->clock_mhz);
    series->throttled = calloc(most, 1);
    group->series_count++;
    return series->round && series->time_ns && series->clock_mhz && series->throttled
               ? 0
               : error_memory();
}

static int add_point(struct group *group, const struct selected *selected)
{
    int count, result = 0;
    const struct series_kind *plan = series_plan(selected->variant, &selected->point, &count);
    for (int i = 0; i < count && !result; i++) result = add_series(group, selected, &plan[i]);
    return result;
}

static int make_series(struct group *group)
{
    int result = 0;
    for (int i = 0; i < group->count && !result; i++) {
        const struct selected *selected = &group->first[i];
        if (strcmp(group->status[i], "ok") || variant_kind(selected->variant) == KIND_CPU) continue;
        result = add_point(group, selected);
    }
    return result;
}

static void free_series(struct group *group)
{
    for (int i = 0; i < group->series_count; i++) {
        free(group->series[i].round);
        free(group->series[i].time_ns);
        free(group->series[i].clock_mhz);
        free(group->series[i].throttled);
    }
    free(group->series);
    group->series = NULL;
    group->series_count = 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_series(struct csv_writer *summary, struct csv_writer *samples,
                         const struct series *series)
{
    const char copy[2] = {series->copy, 0};
    int throttled = 0;
    for (int s = 0; s < series->count; s++) {
        throttled += series->throttled[s];
        point_write(samples, series->selected->variant, &series->selected->point);
        csv_text(samples, l2_names[series->l2]);
        csv_text(samples, kind_names[series->kind]);
        csv_text(samples, copy);
        csv_integer(samples, series->round[s]);
        csv_number(samples, series->time_ns[s]);
        csv_number(samples, series->clock_mhz[s]);
        csv_text(samples, series->throttled[s] ? "throttled" : "ok");
        csv_end(samples);
    }
    point_write(summary, series->selected->variant, &series->selected->point);
    csv_text(summary, l2_names[series->l2]);
    csv_text(summary, kind_names[series->kind]);
    csv_text(summary, copy);
    csv_integer(summary, series->count);
    csv_integer(summary, throttled);
    csv_text(summary, series->stop_reason);
    csv_end(summary);
}

static double input_bytes(const struct selected *selected)
{
    double bytes = 0;
    for (int i = 0; i < selected->family->input_count; i++)
        bytes += (double)selected->family->input_bytes(&selected->point.shape, i);
    return bytes;
}

static int write_point(struct group *group, int i, struct csv_writer *points,
                       struct csv_writer *launches, struct csv_writer *accesses)
{
    const struct selected *selected = &group->first[i];
    const int ok = !strcmp(group->status[i], "ok");
    unsigned count = 0;
    const int result = ok ? launch_resources_write(&group->bench, selected->variant,
                                                   &selected->point, launches, &count)
                          : 0;
    if (result) return result;
    const struct work work = work_view(&group->bench, selected->variant, &selected->point);
    if (ok) shared_accesses_write(accesses, selected->variant, &work);
    point_write(points, selected->variant, &selected->point);
    csv_text(points, group->status[i]);
    csv_text(points, group->reason[i]);
    csv_number(points, selected->family->useful_bytes(&selected->point.shape));
    csv_number(points, selected->family->useful_operations(&selected->point.shape));
    csv_number(points,
               count > 0 ? count
                         : NAN); /* the CPU launches nothing; a library may hide what it launches */
    csv_number(points, input_bytes(selected));
    csv_end(points);
    return 0;
}

static int write_group(struct group *group)
{
    struct csv_writer *points = run_writer(group->run, TABLE_POINTS),
                      *launches = run_writer(group->run, TABLE_LAUNCHES);
    struct csv_writer *accesses = run_writer(group->run, TABLE_ACCESSES);
    struct csv_writer *summary = run_writer(group->run, TABLE_SERIES),
                      *samples = run_writer(group->run, TABLE_SAMPLES);
    if (!points || !launches || !accesses || !summary || !samples) return FAIL_OUTPUT;
    for (int i = 0; i < group->count; i++) {
        const int result = write_point(group, i, points, launches, accesses);
        if (result) return result;
    }
    for (int i = 0; i < group->series_count; i++) {
        const ptrdiff_t index = group->series[i].selected - group->first;
        if (!strcmp(group->status[index], "ok")) write_series(summary, samples, &group->series[i]);
    }
    return 0;
}

/* ---- the CPU --------------------------------------------------------------------------------- */

static int time_cpu_points(struct group *group)
{
    int result = 0;
    for (int i = 0; i < group->count && !result; i++) {
        const struct selected *selected = &group->first[i];
        if (strcmp(group->status[i], "ok") || variant_kind(selected->variant) != KIND_CPU) continue;
        result = add_point(group, selected);
        if (result) break;
        struct series *a = &group->series[group->series_count - 2];
        result = cpu_timer_samples(&group->bench, a, a + 1, group->options->most_seconds / 4);
    }
    return result;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static int is_main(const struct series *series)
{
    int count;
    const struct series_kind *plan =
        series_plan(series->selected->variant, &series->selected->point, &count);
    return series->l2 == plan->l2 && series->kind == plan->kind && series->copy == plan->copy;
}

static int announce_time(const struct series *series)
{
    const struct nvtx_point point = nvtx_point(series->selected);
    double *sorted = malloc((size_t)(series->count + 1) * sizeof *sorted);
    size_t count = 0;
    if (!sorted) return error_memory();
    for (int s = 0; s < series->count; s++)
        if (!series->throttled[s]) sorted[count++] = series->time_ns[s];
    stats_sort(sorted, count);
    const double time_ns = stats_quantile(sorted, count, 0.5);
    nvtx_result(&point, &(struct nvtx_result){time_ns, point.useful_bytes / time_ns, NAN, NAN});
    free(sorted);
    return 0;
}

/* What was found of the points that were right, for a tool that listens; and what was set aside. */
static int announce_group(const struct group *group)
{
    int result = 0;
    if (!nvtx_listening()) return 0;
    for (int i = 0; i < group->series_count && !result; i++) {
        const struct series *series = &group->series[i];
        for (int s = 0; s < series->count; s++)
            if (series->throttled[s])
                nvtx_throttled(series->selected, series->round[s], series->l2 == L2_COLD,
                               series->time_ns[s], series->clock_mhz[s]);
        if (!strcmp(group->status[series->selected - group->first], "ok") && is_main(series))
            result = announce_time(series);
    }
    return result;
}

/* ---- one group, and all ---------------------------------------------------------------------- */

static int sample_series(void *timer, const struct series *series, double *time_ns,
                         double *clock_mhz)
{
    return timer_sample(timer, series, time_ns, clock_mhz);
}

static double now(void *timer)
{
    (void)timer;
    return seconds_now();
}

static int time_group(struct group *group)
{
    struct timer timer;
    double overhead_ns = 0;
    int result = make_series(group);
    if (result || group->series_count == 0) return result;
    if (!CUDA_OK(cudaCtxResetPersistingL2Cache())) return FAIL_GPU;
    result = timer_open(&timer, &group->bench);
    if (result) return result;
    result = timer_overhead(&timer, &overhead_ns);
    if (!result) result = run_fact_set(group->run, "event_overhead_ns", "%.0f", overhead_ns);
    const struct sampler sampler = {sample_series, now, &timer};
    if (!result)
        result =
            sampling_rounds_run(group->series, group->series_count, group->options->most_samples,
                                group->options->most_seconds, &group->random, &sampler);
    if (!result && other_profilers_unheld())
        result = run_fact_set(group->run, "timing", "not clean: %s", other_profilers_unheld());
    timer_close(&timer);
    return result;
}

static int has_cpu_points(const struct group *group)
{
    int found = 0;
    for (int i = 0; i < group->count; i++)
        found |= variant_kind(group->first[i].variant) == KIND_CPU;
    return found;
}

static int measure_group(struct group *group, const struct device *device, int *wrong)
{
    group->reason = calloc((size_t)group->count, sizeof *group->reason);
    group->status = calloc((size_t)group->count, sizeof *group->status);
    if (!group->reason || !group->status) return error_memory();
    for (int i = 0; i < group->count; i++) group->status[i] = "ok";
    int result =
        work_open(&group->bench, device, group->first->family, &group->first->point.shape,
                  group->options->seed, has_cpu_points(group) ? WORK_CHECKED_ON_CPU : WORK_CHECKED);
    if (result) return result;
    result = verify_points(group, "before", wrong);
    if (!result) result = time_group(group);
    if (!result) result = time_cpu_points(group);
    if (!result) result = verify_points(group, "after", wrong);
    if (!result) result = announce_group(group);
    if (!result) result = write_group(group);
    work_close(&group->bench);
    return result;
}

int measure_run(struct run *run, const struct selection *selection,
                const struct measure_options *options)
{
    struct device device;
    const char *wrong_before = run_fact(run, "wrong_results"); /* of a run that is resumed */
    int wrong = wrong_before ? (int)strtol(wrong_before, NULL, 10) : 0;
    struct stage whole, stage;
    int result = device_open(&device);
    if (result) return result;
    result = stage_begin(&whole, NULL, STAGE_MEASURE, NULL);
    progress_begin(STAGE_MEASURE, "points", selection->count);
    for (int start = 0, end; start < selection->count && !result; start = end) {
        char size[72], unit[256];
        const struct selected *first = &selection->points[start];
        end = selection_group_end(selection, start);
        snprintf(unit, sizeof unit, "measure %s %s", first->family->name,
                 shape_text(&first->point.shape, size));
        progress_next(end - start, unit + strlen(STAGE_MEASURE) + 1);
        if (run_unit_done(run, unit)) continue;
        detail("%s: %d points", unit, end - start);
        struct group group = {.run = run,
                              .options = options,
                              .first = first,
                              .count = end - start,
                              .random = options->seed};
        result = stage_begin(&stage, run, STAGE_MEASURE, first);
        if (!result) result = measure_group(&group, &device, &wrong);
        result = stage_end(&stage, result);
        if (!result && wrong) result = run_fact_set(run, "wrong_results", "%d", wrong);
        if (!result) result = run_unit_finish(run, unit);
        free_series(&group);
        free(group.reason);
        free(group.status);
    }
    result = progress_end(stage_end(&whole, result));
    device_close(&device);
    return result;
}
