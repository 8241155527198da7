/*
 * traces: kernels over time, in a phase of its own after everything was timed
 * (collect/timeline_point.h, collect/cupti_over_time.h). At every size each variant's fastest
 * setting runs a few times with a cold L2 cache while CUPTI records its kernels; at the largest
 * size of each family it runs once more for each set of tracks that is asked for, while the
 * hardware is sampled.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/progress.h"
#include "base/text.h"
#include "collect/collect_timeline.h"
#include "collect/timeline_point.h"
#include "query/query.h"
#include "query/track_values.h"
#include "run/nvtx.h"
#include "run/run_points.h"
#include "run/run_stages.h"

static const char over_time[] = "counters over time", unit_all[] = STAGE_TIMELINE;

enum {
    MOST_SETS = 4,
    COLD_REPEATS = 3 /* of a point whose kernels are recorded only; one that takes long runs once */
};

static const double LONG_NS = 2e7;

/* A set of tracks that was asked for. */
struct tracks {
    struct counter_set set;
    int refused; /* set.reason says why */
    enum sampler_trigger trigger;
};

struct tracing {
    struct run *run;
    const struct collect_options *options;
    uint64_t seed;
    struct records records;
    struct device device;
    struct selection selection; /* the points of the run */
    struct kernel_points points;
    struct cupti *recording, *sampling;
    char refused[REASON_BYTES]; /* why kernels cannot be recorded; "" */
    char said[REASON_BYTES];    /* what was said last to be refused */
    struct tracks tracks[MOST_SETS];
    int set_count;
    int next; /* id of the next trace */
    int sm_clock_khz;
};

/* A setting as the tables have it. */
static int setting(const char *text)
{
    return (int)strtol(text, NULL, 10);
}

static const struct selected *find_selected(const struct tracing *tracing,
                                            const struct kernel_point *point)
{
    char size[72];
    for (int i = 0; i < tracing->selection.count; i++) {
        const struct selected *selected = &tracing->selection.points[i];
        if (!strcmp(selected->family->name, point->key[0]) &&
            !strcmp(selected->variant->name, point->key[1]) &&
            !strcmp(shape_text(&selected->point.shape, size), point->key[2]) &&
            selected->point.block == setting(point->key[3]) &&
            selected->point.sweep == setting(point->key[4]))
            return selected;
    }
    return NULL;
}

static int write_next(struct tracing *tracing, const struct trace *trace)
{
    return trace_write(tracing->run, tracing->next++, trace);
}

/* As query/track_values.h has it. */
static double length_ns(const struct trace *trace, const struct kept_sample *sample)
{
    return trace->trigger == TRIGGER_TIME ? (double)trace->interval_ns
                                          : (double)(sample->end_ns - sample->begin_ns);
}

/* One track for a tool that listens: each value over the time that ended at its time stamp. */
static int announce_track(struct query *query, const struct trace *trace, int plan)
{
    const struct record *track = trace->tracks->plan[plan].counter;
    const size_t most = (size_t)trace->sample_count;
    size_t count = 0;
    uint64_t *end_ns = malloc((most + 1) * sizeof *end_ns);
    double *shown = malloc((most + 1) * sizeof *shown);
    int result = end_ns && shown ? 0 : error_memory();
    for (size_t i = 0; i < most && !result; i++) {
        const double value = trace->sample[i].value[plan];
        if (!isfinite(value)) continue; /* CUPTI has no number */
        end_ns[count] = trace->sample[i].end_ns;
        result = track_values_show(query, track, value, length_ns(trace, &trace->sample[i]),
                                   &shown[count]);
        count += isfinite(shown[count]);
    }
    if (!result)
        result = nvtx_counter_batch(track->name, record_field(track, "unit"),
                                    trace->selected->family->name, end_ns, shown, count);
    free(end_ns);
    free(shown);
    return result;
}

static int announce(const struct tracing *tracing, const struct trace *trace)
{
    struct query query;
    int result = query_open(&query, tracing->run);
    if (result) return result;
    for (int p = 0; p < trace->tracks->count && !result; p++)
        if (trace->tracks->plan[p].source) result = announce_track(&query, trace, p);
    query_close(&query);
    return result;
}

/* ---- the points of one group ----------------------------------------------------------------- */

/* What CUPTI refuses, or loses, of this point only. */
static void miss_point(const struct trace *trace, const char *what, const char *reason)
{
    nvtx_trouble("counters refused", trace->selected->variant, reason);
    warning("%s/%s at %s has no %s: %s", trace->point->key[0], trace->point->key[1],
            trace->point->key[2], what, reason);
}

static int record_points(struct tracing *tracing, struct trace_source *source, int first, int end)
{
    int result = 0;
    for (int i = first; i < end && !result; i++) {
        const struct kernel_point *point = &tracing->points.point[i];
        struct trace trace = {.point = point,
                              .selected = find_selected(tracing, point),
                              .repeats = point->time_ns > LONG_NS ? 1 : COLD_REPEATS};
        result = interrupted() ? FAIL_INTERRUPTED : trace_record(source, &trace);
        if (!result && source->recorder && *trace.kernels_reason)
            miss_point(&trace, "times of its kernels", trace.kernels_reason);
        if (!result) result = write_next(tracing, &trace);
        trace_free(&trace);
    }
    return result;
}

/* The same is not said of one set after the other. */
static int refuse(struct tracing *tracing, const char *what, const char *reason)
{
    const int again = !tracing->options->demand && !strcmp(tracing->said, reason);
    snprintf(tracing->said, sizeof tracing->said, "%s", reason);
    return again ? 0 : collect_refused(tracing->options, what, reason);
}

static double duration_ns(const struct trace *trace)
{
    return isfinite(trace->point->time_ns) ? trace->repeats * trace->point->time_ns : 0;
}

/* `configured` is the sampler's plan; points with the same interval come longest first. */
static int sample_point(struct tracing *tracing, struct trace_source *source, struct tracks *tracks,
                        struct over_time_sampler *sampler, struct over_time_plan *configured,
                        struct trace *trace)
{
    const struct over_time_plan plan = {trace->interval_ns, duration_ns(trace), TRIGGER_BEST,
                                        tracing->sm_clock_khz};
    int result = 0;
    trace->begin_ns = trace->end_ns = stage_clock_ns();
    tracks->set.reason[0] = 0;
    if (configured->interval_ns != plan.interval_ns)
        result = over_time_configure(sampler, &plan, &tracks->trigger);
    if (!result) {
        if (configured->interval_ns != plan.interval_ns) *configured = plan;
        trace->trigger = tracks->trigger;
        tracks->set.reason[0] = 0;
        result = trace_sample(source, trace, sampler);
    }
    if (!result && nvtx_listening()) result = announce(tracing, trace);
    if (result != FAIL_GPU || !tracks->set.reason[0]) return result;
    configured->interval_ns = 0;
    snprintf(trace->samples_reason, REASON_BYTES, "%s", tracks->set.reason);
    miss_point(trace, over_time, tracks->set.reason);
    return 0;
}

/* Those of one interval longest first. */
static int by_interval(const void *a, const void *b)
{
    const struct trace *first = a, *second = b;
    if (first->interval_ns != second->interval_ns)
        return first->interval_ns < second->interval_ns ? -1 : 1;
    if (duration_ns(first) > duration_ns(second)) return -1;
    return duration_ns(first) < duration_ns(second);
}

/* Points for one set, those of one interval after the other: configuring takes longest. */
static int sample_points(struct tracing *tracing, struct trace_source *source,
                         struct tracks *tracks, int first, int end)
{
    struct over_time_sampler *sampler = NULL;
    struct over_time_plan configured = {0};
    const int count = end - first;
    struct trace *trace = calloc((size_t)count, sizeof *trace);
    if (!trace) return error_memory();
    for (int i = 0; i < count; i++) {
        const struct kernel_point *point = &tracing->points.point[first + i];
        trace[i] = (struct trace){
            .point = point, .selected = find_selected(tracing, point), .tracks = &tracks->set};
        snprintf(trace[i].kernels_reason, REASON_BYTES,
                 "kernels are not recorded while they are sampled: that would change their code");
        trace_interval(point->time_ns, &trace[i].interval_ns, &trace[i].repeats);
    }
    qsort(trace, (size_t)count, sizeof *trace, by_interval);
    int result = tracks->refused ? 0 : over_time_open(&sampler, tracing->sampling, &tracks->set);
    if (result == FAIL_GPU && tracks->set.reason[0]) {
        tracks->refused = 1;
        result = refuse(tracing, over_time, tracks->set.reason);
    }
    for (int i = 0; i < count && !result; i++) {
        if (interrupted())
            result = FAIL_INTERRUPTED;
        else if (sampler)
            result = sample_point(tracing, source, tracks, sampler, &configured, &trace[i]);
        else {
            trace[i].begin_ns = trace[i].end_ns = stage_clock_ns();
            snprintf(trace[i].samples_reason, REASON_BYTES, "%s", tracks->set.reason);
        }
        if (!result) result = write_next(tracing, &trace[i]);
    }
    for (int i = 0; i < count; i++) trace_free(&trace[i]);
    over_time_close(sampler);
    free(trace);
    return result;
}

/* With a recorder as long as it takes. What is refused once stays refused. */
static int record_group(struct tracing *tracing, struct trace_source *source, int first, int end)
{
    int result = 0;
    if (tracing->recording && !*tracing->refused)
        result = activity_recorder_open(&source->recorder, tracing->recording, tracing->refused);
    if (result == FAIL_GPU && *tracing->refused)
        result = refuse(tracing, "times of kernels", tracing->refused);
    if (!result) result = record_points(tracing, source, first, end);
    activity_recorder_close(source->recorder);
    source->recorder = NULL;
    return result;
}

static int trace_points(struct tracing *tracing, const struct selected *selected, int first,
                        int end)
{
    struct trace_source source = {.device = &tracing->device, .refused = tracing->refused};
    int result = work_open(&source.bench, &tracing->device, selected->family,
                           &selected->point.shape, tracing->seed, WORK_UNCHECKED);
    if (result) return result;
    result = stream_gate_open(&source.gate, tracing->device.stream, tracing->device.l2_bytes);
    if (!result) {
        const int sets = tracing->points.point[first].is_largest ? tracing->set_count : 0;
        for (int s = 0; s < sets && !result; s++)
            result = sample_points(tracing, &source, &tracing->tracks[s], first, end);
        if (!result) result = record_group(tracing, &source, first, end);
        stream_gate_close(&source.gate);
    }
    work_close(&source.bench);
    return result;
}

static int trace_group(struct tracing *tracing, int first, int end)
{
    char unit[256];
    struct stage stage;
    char *const *key = tracing->points.point[first].key;
    snprintf(unit, sizeof unit, "timeline %s %s %s", key[0], key[2], key[3]);
    if (run_unit_done(tracing->run, unit)) return 0;
    detail("timeline %s %s: %d variants", key[0], key[2], end - first);
    const struct selected *selected = find_selected(tracing, &tracing->points.point[first]);
    int result = stage_begin(&stage, tracing->run, STAGE_TIMELINE, selected);
    if (!result) result = trace_points(tracing, selected, first, end);
    result = stage_end(&stage, result);
    return result ? result : run_unit_finish(tracing->run, unit);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int plan_set(struct tracing *tracing, const struct record *set)
{
    if (tracing->set_count == MOST_SETS)
        return error(FAIL_INPUT, "%s:%d: more than %d sets of tracks", set->file, set->line,
                     MOST_SETS);
    struct counter_set *plans = &tracing->tracks[tracing->set_count++].set;
    plans->name = set->name;
    plans->plan = calloc((size_t)tracing->records.count + 1, sizeof *plans->plan);
    if (!plans->plan) return error_memory();
    for (int i = 0; i < tracing->records.count; i++) {
        const struct record *track = &tracing->records.record[i];
        if (track->kind == RECORD_TRACK && !strcmp(record_field(track, "set"), set->name))
            plans->plan[plans->count++].counter = track;
    }
    return 0;
}

static int make_plan(struct tracing *tracing)
{
    int result = 0;
    for (int i = 0; i < tracing->records.count && !result; i++) {
        const struct record *set = &tracing->records.record[i];
        if (set->kind == RECORD_SET && !strcmp(record_field(set, "collector"), COLLECTOR_SAMPLER) &&
            collect_listed(tracing->options->sets, set->name))
            result = plan_set(tracing, set);
    }
    return result;
}

/* A resumed run goes on with the ids that it has. */
static int find_next(struct tracing *tracing)
{
    struct query query;
    char *next = NULL;
    int result = query_open(&query, tracing->run);
    if (result) return result;
    result = query_load(&query, TABLE_TRACES);
    if (!result)
        result =
            query_text(&query, NULL, "SELECT coalesce(max(trace) + 1, 0) FROM traces", NULL, &next);
    tracing->next = next ? (int)strtol(next, NULL, 10) : 0;
    free(next);
    query_close(&query);
    return result;
}

/* What CUPTI gives; what it refuses stays refused, with its reason. */
static int open_sources(struct tracing *tracing)
{
    char reason[REASON_BYTES] = "";
    int result = 0;
    if (!CUDA_OK(cudaDeviceGetAttribute(&tracing->sm_clock_khz, cudaDevAttrClockRate,
                                        tracing->device.index)))
        return FAIL_GPU;
    tracing->recording = cupti_open(CUPTI_ACTIVITIES, tracing->refused);
    if (!tracing->recording) result = refuse(tracing, "times of kernels", tracing->refused);
    if (result || tracing->set_count == 0) return result;
    tracing->sampling = cupti_open(CUPTI_OVER_TIME, reason);
    if (tracing->sampling) return 0;
    for (int s = 0; s < tracing->set_count; s++) {
        tracing->tracks[s].refused = 1;
        snprintf(tracing->tracks[s].set.reason, REASON_BYTES, "%s", reason);
    }
    return collect_refused(tracing->options, over_time, reason);
}

static void close_sources(struct tracing *tracing)
{
    cupti_close(tracing->recording);
    cupti_close(tracing->sampling);
    for (int s = 0; s < tracing->set_count; s++) {
        struct counter_set *set = &tracing->tracks[s].set;
        for (int p = 0; p < set->count; p++) free(set->plan[p].source);
        free(set->plan);
    }
}

/* In words, of the tables: a resumed run did not do all of it in this process. */
static const char summary[] =
    "SELECT printf('%d kernels recorded', (SELECT count(*) FROM activities)) || coalesce((SELECT "
    "group_concat(words, '') FROM (SELECT '; ' || counter_set || ': ' || "
    "CASE WHEN sum(samples_status = 'ok') THEN printf('%d of %d points sampled by %s', "
    "sum(samples_status = 'ok'), count(*), group_concat(DISTINCT trigger)) ELSE "
    "max(samples_status) END AS words FROM traces WHERE counter_set <> 'kernels' GROUP BY "
    "counter_set ORDER BY min(trace))), '')";

/* A set of which no point has anything, with the first reason; a resumed run's earlier points
 * count, too. */
static const char nothing[] =
    "SELECT counter_set || ': ' || substr(min(reason), 9) FROM (SELECT counter_set, CASE "
    "counter_set WHEN 'kernels' THEN activities_status ELSE samples_status "
    "END AS reason FROM traces) GROUP BY counter_set HAVING sum(reason = 'ok') = 0 LIMIT 1";

/* Where it was demanded, that is a failure. */
static int check_demand(const struct tracing *tracing, struct query *query)
{
    char *words = NULL;
    int result = tracing->options->demand ? query_text(query, NULL, nothing, NULL, &words) : 0;
    if (!result && words && *words)
        result = error(FAIL_GPU, "timeline: of no point was anything collected of %s", words);
    free(words);
    return result;
}

static int write_facts(const struct tracing *tracing)
{
    struct query query;
    char *words = NULL;
    int result = query_open(&query, tracing->run);
    if (result) return result;
    result = query_load(&query, TABLE_TRACES);
    if (!result) result = query_load(&query, TABLE_ACTIVITIES);
    if (!result) result = query_text(&query, NULL, summary, NULL, &words);
    if (!result) result = check_demand(tracing, &query);
    query_close(&query);
    if (!result && !*tracing->refused)
        result = run_fact_set(tracing->run, "counters_timeline", "%s", words);
    else if (!result)
        result = run_fact_set(tracing->run, "counters_timeline", "%s; kernels absent: %s", words,
                              tracing->refused);
    free(words);
    return result;
}

static int trace_all(struct tracing *tracing)
{
    struct stage whole;
    int result = stage_begin(&whole, NULL, STAGE_TIMELINE, NULL);
    progress_begin(STAGE_TIMELINE, "points", tracing->points.count);
    for (int first = 0, end; first < tracing->points.count && !result; first = end) {
        end = kernel_points_group_end(&tracing->points, first);
        progress_next(end - first, tracing->points.point[first].key[0]);
        result = trace_group(tracing, first, end);
    }
    return progress_end(stage_end(&whole, result));
}

int traces_run(struct run *run, uint64_t seed, const struct collect_options *options)
{
    struct tracing tracing = {.run = run, .options = options, .seed = seed};
    if (run_unit_done(run, unit_all)) return 0;
    int result = records_read_own(&tracing.records);
    if (result) return result;
    result = make_plan(&tracing);
    if (!result) result = selection_of_run(&tracing.selection, run);
    if (!result) result = kernel_points_choose(&tracing.points, run, EVERY_SIZE);
    if (!result) result = find_next(&tracing);
    if (!result) result = device_open(&tracing.device);
    if (!result) {
        result = open_sources(&tracing);
        if (!result) result = trace_all(&tracing);
        if (!result) result = write_facts(&tracing);
    }
    if (!result) result = run_unit_finish(run, unit_all);
    close_sources(&tracing);
    device_close(&tracing.device);
    kernel_points_free(&tracing.points);
    selection_free(&tracing.selection);
    records_free(&tracing.records);
    return result;
}
