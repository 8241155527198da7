/*
 * Records when each kernel ran, and counters over time, size by size (collect/collect_counters.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/thresholds.h"
#include "collect/collect_counters.h"
#include "collect/timeline_point.h"
#include "query/query.h"
#include "query/track_values.h"
#include "run/nvtx.h"
#include "run/table_rows.h"
#include "run/run_stages.h"

static const char over_time[] = "counters over time", times[] = "times of kernels",
                  unit_all[] = STAGE_TIMELINE;

enum {
    MOST_SETS = 4,
    COLD_REPEATS = 3 /* of a point whose kernels are recorded; a long one runs once */
};

/* A set of tracks that was asked for. */
struct tracks {
    struct counter_set set;
    int refused; /* set.reason says why */
    enum sampler_trigger trigger;
};

struct collection {
    struct run *run;
    const struct collect_options *options;
    uint64_t seed;
    struct records records;
    struct device device;
    struct selection selection; /* the points of the run */
    struct kernel_points points;
    struct cupti *recording, *sampling;
    char refused[REASON_BYTES];      /* why kernels cannot be recorded; "" */
    char last_refusal[REASON_BYTES]; /* the last that was reported */
    struct tracks tracks[MOST_SETS];
    int set_count;
    int next; /* id of the next timeline */
    int sm_clock_khz;
};

/* The points of one family and size. */
struct group {
    struct collection *collection;
    const struct kernel_point *point;
    int count;
    struct workbench bench;
};

static const struct selected *find_selected(const struct collection *collection,
                                            const struct kernel_point *point)
{
    const struct point_key *key = &point->key;
    char size[72];
    for (int i = 0; i < collection->selection.count; i++) {
        const struct selected *selected = &collection->selection.points[i];
        if (!strcmp(selected->family->name, key->family) &&
            !strcmp(selected->variant->name, key->variant) &&
            !strcmp(shape_text(&selected->point.shape, size), key->size) &&
            selected->point.block == strtol(key->block, NULL, 10) &&
            selected->point.sweep == strtol(key->sweep, NULL, 10))
            return selected;
    }
    return NULL;
}

/* ---- announcements --------------------------------------------------------------------------- */

/* The length of a sample as query/track_values.h defines it. */
static double length_ns(const struct timeline *timeline, const struct over_time_sample *sample)
{
    return timeline->trigger == TRIGGER_TIME ? (double)timeline->interval_ns
                                             : (double)(sample->end_ns - sample->begin_ns);
}

/* Announces one track: each value over the time that ended at its time stamp. */
static int announce_track(struct query *query, const struct timeline *timeline, int plan)
{
    const struct record *track = timeline->tracks->plan[plan].counter;
    const size_t most = (size_t)timeline->sample_count;
    size_t count = 0;
    uint64_t *end_ns = malloc((most + 1) * sizeof *end_ns);
    double *shown = malloc((most + 1) * sizeof *shown);
    int result = end_ns && shown ? 0 : error_memory();
    for (size_t i = 0; i < most && !result; i++) {
        const struct over_time_sample *sample = &timeline->sample[i];
        if (!isfinite(sample->value[plan])) continue; /* CUPTI has no number */
        end_ns[count] = sample->end_ns;
        result = track_values_show(query, track, sample->value[plan], length_ns(timeline, sample),
                                   &shown[count]);
        count += isfinite(shown[count]);
    }
    if (!result)
        result = nvtx_counter_batch(track->name, record_field(track, "unit"),
                                    timeline->selected->family->name, end_ns, shown, count);
    free(end_ns);
    free(shown);
    return result;
}

static int announce(const struct collection *collection, const struct timeline *timeline)
{
    struct query query;
    int result = query_open(&query, collection->run);
    if (result) return result;
    for (int p = 0; p < timeline->tracks->count && !result; p++)
        if (timeline->tracks->plan[p].source) result = announce_track(&query, timeline, p);
    query_close(&query);
    return result;
}

/* ---- the points of one group ----------------------------------------------------------------- */

/* Reports data that CUPTI refuses, or loses, for this point only. */
static void miss_point(const struct timeline *timeline, const char *what, const char *reason)
{
    const struct point_key *key = &timeline->point->key;
    nvtx_trouble("counters refused", timeline->selected->variant, reason);
    warning("%s/%s at %s has no %s: %s", key->family, key->variant, key->size, what, reason);
}

/* Reports a refusal, but not again for the next set. */
static int refuse(struct collection *collection, const char *what, const char *reason)
{
    const int again = !collection->options->demand && !strcmp(collection->last_refusal, reason);
    memcpy(collection->last_refusal, reason, REASON_BYTES);
    return again ? 0 : collect_refused(collection->options, what, reason);
}

static int record_points(struct group *group, struct activity_recorder *recorder)
{
    struct collection *collection = group->collection;
    int result = 0;
    for (int i = 0; i < group->count && !result; i++) {
        const struct kernel_point *point = &group->point[i];
        struct timeline timeline = {.point = point,
                                    .selected = find_selected(collection, point),
                                    .repeats =
                                        point->time_ns > 1e6 * TIMELINE_LONG_MS ? 1 : COLD_REPEATS};
        timeline.begin_ns = timeline.end_ns = stage_clock_ns();
        if (interrupted())
            result = FAIL_INTERRUPTED;
        else if (recorder)
            result = timeline_record(&group->bench, recorder, &timeline);
        else
            memcpy(timeline.kernels_reason, collection->refused, REASON_BYTES);
        if (!result && recorder && *timeline.kernels_reason)
            miss_point(&timeline, "times of its kernels", timeline.kernels_reason);
        if (!result) result = timeline_write(collection->run, collection->next++, &timeline);
        timeline_free(&timeline);
    }
    return result;
}

/* Records the group. The recorder is open only as long as it takes. */
static int record_group(struct group *group)
{
    struct collection *collection = group->collection;
    struct activity_recorder *recorder = NULL;
    int result = 0;
    if (collection->recording && !*collection->refused)
        result = activity_recorder_open(&recorder, collection->recording, collection->refused);
    if (result == FAIL_GPU && *collection->refused)
        result = refuse(collection, times, collection->refused);
    if (!result) result = record_points(group, recorder);
    activity_recorder_close(recorder);
    return result;
}

static double duration_ns(const struct timeline *timeline)
{
    return isfinite(timeline->point->time_ns) ? timeline->repeats * timeline->point->time_ns : 0;
}

/* Samples one point. `configured` is the plan of the sampler. */
static int sample_point(struct group *group, struct tracks *tracks, struct profiler *sampler,
                        struct over_time_plan *configured, struct timeline *timeline)
{
    const struct over_time_plan plan = {timeline->interval_ns, duration_ns(timeline), TRIGGER_BEST,
                                        group->collection->sm_clock_khz};
    int result = 0;
    tracks->set.reason[0] = 0;
    if (configured->interval_ns != plan.interval_ns) {
        result = over_time_configure(sampler, &plan, &tracks->trigger);
        *configured = plan;
        if (!result) tracks->set.reason[0] = 0;
    }
    timeline->trigger = tracks->trigger;
    if (!result) result = timeline_sample(&group->bench, sampler, timeline);
    if (!result && nvtx_listening()) result = announce(group->collection, timeline);
    if (result != FAIL_GPU || !tracks->set.reason[0]) return result;
    configured->interval_ns = 0;
    memcpy(timeline->samples_reason, tracks->set.reason, REASON_BYTES);
    miss_point(timeline, over_time, tracks->set.reason);
    return 0;
}

/* By interval; longest first within one, as the sampler's buffer is sized for the first. */
static int by_interval(const void *a, const void *b)
{
    const struct timeline *first = a, *second = b;
    const double longer = duration_ns(second) - duration_ns(first);
    if (first->interval_ns != second->interval_ns)
        return first->interval_ns < second->interval_ns ? -1 : 1;
    return (longer > 0) - (longer < 0);
}

static struct timeline *plan_timelines(struct group *group, struct tracks *tracks)
{
    struct timeline *timeline = calloc((size_t)group->count, sizeof *timeline);
    if (!timeline) return NULL;
    for (int i = 0; i < group->count; i++) {
        const struct kernel_point *point = &group->point[i];
        timeline[i].point = point;
        timeline[i].selected = find_selected(group->collection, point);
        timeline[i].tracks = &tracks->set;
        snprintf(timeline[i].kernels_reason, REASON_BYTES,
                 "kernels are not recorded while they are sampled: that would change their code");
        timeline_interval(point->time_ns, &timeline[i].interval_ns, &timeline[i].repeats);
    }
    qsort(timeline, (size_t)group->count, sizeof *timeline, by_interval);
    return timeline;
}

/* Samples the group for one set. Points of one interval follow one another, because configuring
 * takes longest. */
static int sample_group(struct group *group, struct tracks *tracks)
{
    struct collection *collection = group->collection;
    struct profiler *sampler = NULL;
    struct over_time_plan configured = {0};
    struct timeline *timeline = plan_timelines(group, tracks);
    if (!timeline) return error_memory();
    int result = tracks->refused ? 0 : over_time_open(&sampler, collection->sampling, &tracks->set);
    if (result == FAIL_GPU && tracks->set.reason[0]) {
        tracks->refused = 1;
        result = refuse(collection, over_time, tracks->set.reason);
    }
    for (int i = 0; i < group->count && !result; i++) {
        timeline[i].begin_ns = timeline[i].end_ns = stage_clock_ns();
        if (interrupted())
            result = FAIL_INTERRUPTED;
        else if (sampler)
            result = sample_point(group, tracks, sampler, &configured, &timeline[i]);
        else
            memcpy(timeline[i].samples_reason, tracks->set.reason, REASON_BYTES);
        if (!result) result = timeline_write(collection->run, collection->next++, &timeline[i]);
    }
    for (int i = 0; i < group->count; i++) timeline_free(&timeline[i]);
    over_time_close(sampler);
    free(timeline);
    return result;
}

static int collect_points(struct group *group, const struct selected *first)
{
    struct collection *collection = group->collection;
    int result = workbench_open(&group->bench, &collection->device, first, collection->seed,
                                BENCH_UNCHECKED);
    if (result) return result;
    for (int s = 0; s < collection->set_count && group->point->is_largest && !result; s++)
        result = sample_group(group, &collection->tracks[s]);
    if (!result) result = record_group(group);
    workbench_close(&group->bench);
    return result;
}

static int collect_group(struct group *group)
{
    char unit[256];
    struct stage stage;
    struct run *run = group->collection->run;
    const struct point_key *key = &group->point->key;
    snprintf(unit, sizeof unit, "timeline %s %s %s", key->family, key->size, key->block);
    if (run_unit_done(run, unit)) return 0;
    detail("timeline %s %s: %d variants", key->family, key->size, group->count);
    const struct selected *first = find_selected(group->collection, group->point);
    int result = stage_begin(&stage, run, STAGE_TIMELINE, first);
    if (!result) result = collect_points(group, first);
    result = stage_end(&stage, result);
    return result ? result : run_unit_finish(run, unit);
}

static int collect_all(struct collection *collection)
{
    struct stage whole;
    int result = stage_begin(&whole, NULL, STAGE_TIMELINE, NULL);
    progress_begin(STAGE_TIMELINE, "points", collection->points.count);
    for (int first = 0, end; first < collection->points.count && !result; first = end) {
        end = kernel_points_group_end(&collection->points, first);
        progress_next(end - first, collection->points.point[first].key.family);
        struct group group = {.collection = collection,
                              .point = &collection->points.point[first],
                              .count = end - first};
        result = collect_group(&group);
    }
    return progress_end(stage_end(&whole, result));
}

/* ---- plans, CUPTI, facts --------------------------------------------------------------------- */

static int make_plan(struct collection *collection)
{
    const struct records *records = &collection->records;
    int result = 0;
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *set = &records->record[i];
        if (set->kind != RECORD_SET || strcmp(record_field(set, "collector"), COLLECTOR_SAMPLER) ||
            !collect_listed(collection->options->sets, set->name))
            continue;
        if (collection->set_count == MOST_SETS)
            return error(FAIL_INPUT, "%s:%d: more than %d sets of tracks", set->file, set->line,
                         MOST_SETS);
        struct counter_set *tracks = &collection->tracks[collection->set_count++].set;
        tracks->name = set->name;
        result = counter_set_add(tracks, records, RECORD_TRACK, set->name);
    }
    return result;
}

/* A resumed run continues with the ids that it has. */
static int find_next(struct collection *collection)
{
    struct query query;
    char *next = NULL;
    int result = query_open(&query, collection->run);
    if (result) return result;
    result = query_load(&query, TABLE_TRACES);
    if (!result)
        result = query_text(&query, NULL, "SELECT max(trace) + 1 FROM traces", NULL, &next);
    collection->next = next ? (int)strtol(next, NULL, 10) : 0;
    free(next);
    query_close(&query);
    return result;
}

/* A use of CUPTI that is refused stays refused, with its reason. */
static int open_cupti(struct collection *collection)
{
    char reason[REASON_BYTES] = "";
    int result = 0;
    if (!CUDA_OK(cudaDeviceGetAttribute(&collection->sm_clock_khz, cudaDevAttrClockRate,
                                        collection->device.index)))
        return FAIL_GPU;
    collection->recording = cupti_open(CUPTI_ACTIVITIES, collection->refused);
    if (!collection->recording) result = refuse(collection, times, collection->refused);
    if (result || collection->set_count == 0) return result;
    collection->sampling = cupti_open(CUPTI_OVER_TIME, reason);
    if (collection->sampling) return 0;
    for (int s = 0; s < collection->set_count; s++) {
        collection->tracks[s].refused = 1;
        memcpy(collection->tracks[s].set.reason, reason, REASON_BYTES);
    }
    return collect_refused(collection->options, over_time, reason);
}

/* From the tables, because a resumed run did not do all of it in this process. */
static const char summary[] =
    "SELECT printf('%d kernels recorded', (SELECT count(*) FROM activities)) || coalesce("
    "  (SELECT group_concat(words, '') FROM (SELECT '; ' || counter_set || ': ' ||"
    "    CASE WHEN sum(samples_status = 'ok') THEN printf('%d of %d points sampled by %s',"
    "      sum(samples_status = 'ok'), count(*), group_concat(DISTINCT trigger))"
    "    ELSE max(samples_status) END AS words"
    "    FROM traces WHERE counter_set <> 'kernels'"
    "    GROUP BY counter_set ORDER BY min(trace))), '')";

/* A set without data for any point, with the first reason; earlier points of a resumed run count.
 */
static const char nothing[] =
    "SELECT counter_set || ': ' || substr(min(reason), 9) FROM (SELECT counter_set,"
    "  CASE counter_set WHEN 'kernels' THEN activities_status ELSE samples_status END AS reason"
    "  FROM traces) GROUP BY counter_set HAVING sum(reason = 'ok') = 0 LIMIT 1";

static int write_facts(const struct collection *collection)
{
    struct query query;
    char *words = NULL, *missing = NULL;
    int result = query_open(&query, collection->run);
    if (result) return result;
    result = query_load(&query, TABLE_TRACES);
    if (!result) result = query_load(&query, TABLE_ACTIVITIES);
    if (!result) result = query_text(&query, NULL, summary, NULL, &words);
    if (!result && collection->options->demand)
        result = query_text(&query, NULL, nothing, NULL, &missing);
    query_close(&query);
    if (!result && missing)
        result = error(FAIL_GPU, "timeline: of no point was anything collected of %s", missing);
    if (!result)
        result = run_fact_set(collection->run, "counters_timeline", "%s%s%s", words,
                              *collection->refused ? "; kernels " ABSENT : "", collection->refused);
    free(words);
    free(missing);
    return result;
}

int timeline_run(struct run *run, uint64_t seed, const struct collect_options *options)
{
    struct collection collection = {.run = run, .options = options, .seed = seed};
    if (run_unit_done(run, unit_all)) return 0;
    int result = records_read_own(&collection.records);
    if (result) return result;
    result = make_plan(&collection);
    if (!result) result = selection_of_run(&collection.selection, run);
    if (!result) result = kernel_points_choose(&collection.points, run, 1);
    if (!result) result = find_next(&collection);
    if (!result) result = device_open(&collection.device);
    if (!result) result = open_cupti(&collection);
    if (!result) result = collect_all(&collection);
    if (!result) result = write_facts(&collection);
    if (!result) result = run_unit_finish(run, unit_all);
    cupti_close(collection.recording);
    cupti_close(collection.sampling);
    for (int s = 0; s < collection.set_count; s++) counter_set_free(&collection.tracks[s].set);
    device_close(&collection.device);
    kernel_points_free(&collection.points);
    selection_free(&collection.selection);
    records_free(&collection.records);
    return result;
}
