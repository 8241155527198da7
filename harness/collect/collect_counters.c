#include "collect/collect_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/thresholds.h"
#include "collect/collector.h"
#include "gpu/launch_variant.h"
#include "driver/other_profilers.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

/* ---- plan ------------------------------------------------------------------------------------ */

/* The names of CUPTI's counters by instrumentation begin so. */
static const char INSTRUMENTED[] = "smsp__sass_";

/* A point is slow if its launches take longer together. Instrumented, they would take more than
 * about 15 s. */
#define SLOW_SECONDS 0.1
#define SLOW_TEXT VALUE_TEXT(SLOW_SECONDS)
static const char TOO_SLOW[] = "its launches take more than " SLOW_TEXT " s, and instrumented code "
                               "takes more than a hundred times as long";

/* Sets are resolved once; the profiler is opened for each problem size. Instrumented code can
 * take more than a hundred times as long, and counts the same each time. So counts by
 * instrumentation are collected in the first repeat alone, and not at all for slow points. */
struct collection {
    struct run *run;
    const struct collect_options *options;
    uint64_t seed;
    struct device device;
    struct records records;
    struct cupti *cupti;             /* NULL: set.reason says why */
    struct counter_set set;          /* all counters */
    struct counter_set instrumented; /* those by instrumentation */
    struct counter_set bare;         /* the others */
    int refused;                     /* the counters are unavailable; set.reason says why */
    int collected;                   /* some were, by this process */
};

static int split_set(struct collection *collection)
{
    const struct counter_set *all = &collection->set;
    struct counter_set *const part[] = {&collection->instrumented, &collection->bare};
    for (int i = 0; i < 2; i++) {
        part[i]->name = all->name;
        part[i]->plan = calloc((size_t)all->count + 1, sizeof *part[i]->plan);
        if (!part[i]->plan) return error_memory();
    }
    for (int c = 0; c < all->count; c++) {
        const char *from = record_field(all->plan[c].counter, "from");
        struct counter_set *to = strncmp(from, INSTRUMENTED, strlen(INSTRUMENTED))
                                     ? &collection->bare
                                     : &collection->instrumented;
        to->plan[to->count++].counter = all->plan[c].counter;
    }
    return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Announces the bank conflicts of each point by the hardware's counters, if both are known. */
static void announce_batch(const struct batch *batch, const struct counter_set *set,
                           const double *value)
{
    unsigned first = 0;
    for (int p = 0; p < batch->count && nvtx_listening(); p++) {
        const struct nvtx_point point = nvtx_point(batch->point[p]);
        const unsigned end =
            first + variant_launches(batch->point[p]->variant, &batch->point[p]->point);
        double conflicts = 0;
        int found = 0;
        for (int c = 0; c < set->count; c++) {
            const char *name = set->plan[c].counter->name;
            if (strcmp(name, "shared_conflicts_load") && strcmp(name, "shared_conflicts_store"))
                continue;
            found++;
            for (unsigned launch = first; launch < end; launch++)
                conflicts += value[(size_t)launch * (size_t)set->count + (size_t)c];
        }
        if (found == 2 && isfinite(conflicts))
            nvtx_result(&point, &(struct nvtx_result){NAN, NAN, NAN, conflicts});
        first = end;
    }
}

/* Writes the counters of one launch, or why all of them are absent. */
static void write_launch(const struct collection *collection, const struct counter_set *set,
                         struct csv_writer *writer, const struct selected *selected,
                         unsigned launch, int repeat, const double *value, const char *why)
{
    for (int c = 0; c < set->count; c++) {
        const struct counter_plan *plan = &set->plan[c];
        char status[REASON_BYTES + 32] = "ok";
        if (why)
            snprintf(status, sizeof status, ABSENT "%s", why);
        else if (!plan->source)
            snprintf(status, sizeof status, ABSENT "chip %s has no such counter",
                     cupti_chip(collection->cupti));
        else if (!isfinite(value[c]))
            snprintf(status, sizeof status, ABSENT "CUPTI returned no number (0/0)");
        point_write(writer, selected->variant, &selected->point);
        CSV_INTEGERS(writer, launch, repeat);
        csv_text(writer, record_field(plan->counter, "set"));
        csv_integer(writer, set->passes);
        CSV_TEXTS(writer, plan->counter->name, plan->source);
        csv_number(writer, why ? NAN : value[c]);
        csv_text(writer, status);
        csv_end(writer);
    }
}

static int write_batch(const struct collection *collection, const struct counter_set *set,
                       const struct batch *batch, int repeat, const double *value, const char *why)
{
    struct csv_writer *writer = run_writer(collection->run, TABLE_COUNTERS);
    if (!writer) return FAIL_OUTPUT;
    for (int p = 0; p < batch->count; p++) {
        const struct selected *selected = batch->point[p];
        const unsigned launches = variant_launches(selected->variant, &selected->point);
        for (unsigned launch = 0; launch < launches; launch++) {
            write_launch(collection, set, writer, selected, launch, repeat, value, why);
            if (!why) value += set->count;
        }
    }
    return 0;
}

/* ---- collection ------------------------------------------------------------------------------ */

int collect_refused(const struct collect_options *options, const char *what, const char *reason)
{
    nvtx_trouble("counters refused", NULL, reason);
    if (options->demand) return error(FAIL_GPU, "%s: %s", what, reason);
    if (!other_profilers_explains(reason)) warning("%s are not collected: %s", what, reason);
    return 0;
}

static int refuse(struct collection *collection, const struct counter_set *set)
{
    if (collection->refused) return 0;
    collection->refused = 1;
    if (set != &collection->set) snprintf(collection->set.reason, REASON_BYTES, "%s", set->reason);
    return collect_refused(collection->options, "counters", collection->set.reason);
}

int collect_goes_on(int done, int wanted, double seconds)
{
    return done < wanted && (done == 0 || seconds <= REPEATED_S);
}

/* Collects the repeats of a batch from `first` to before `end`. */
static int collect_batch(struct collection *collection, struct profiler *profiler,
                         struct counter_set *set, const struct batch *batch, int first, int end)
{
    const double start = seconds_now();
    double *value = malloc((size_t)batch->launches * (size_t)set->count * sizeof *value);
    int result = value ? 0 : error_memory();
    for (int repeat = first;
         !result && repeat < end && collect_goes_on(repeat, end, seconds_now() - start); repeat++) {
        if (!collection->refused) {
            set->reason[0] = 0;
            result = range_collect(profiler, batch, value);
            if (result == FAIL_GPU && set->reason[0]) result = refuse(collection, set);
        }
        if (result) break;
        if (!collection->refused && repeat == 0) announce_batch(batch, set, value);
        collection->collected |= !collection->refused;
        result = write_batch(collection, set, batch, repeat, value,
                             collection->refused ? collection->set.reason : NULL);
    }
    free(value);
    return result;
}

/* Collects points of one problem size, in batches of a bounded number of launches. */
static int collect_repeats(struct collection *collection, struct counter_set *set,
                           const struct batch *points, int first, int end)
{
    enum { MOST_LAUNCHES = 128 };
    struct profiler *profiler = NULL;
    int result = collection->cupti ? 0 : refuse(collection, set);
    if (points->count == 0 || set->count == 0 || first >= end) return result;
    if (!result && !collection->refused) result = range_open(&profiler, collection->cupti, set);
    if (result == FAIL_GPU && !profiler && collection->cupti) result = refuse(collection, set);
    for (int at = 0; at < points->count && !result;) {
        struct batch batch = {.bench = points->bench, .point = points->point + at};
        for (; at < points->count; at++) {
            const unsigned launches =
                variant_launches(points->point[at]->variant, &points->point[at]->point);
            if (batch.count && batch.launches + launches > MOST_LAUNCHES) break;
            batch.launches += launches;
            batch.count++;
        }
        result = collect_batch(collection, profiler, set, &batch, first, end);
        progress_part((double)at / points->count);
    }
    range_close(profiler);
    return result;
}

static int collect_right(struct collection *collection, const struct batch *quick,
                         const struct batch *slow)
{
    const int repeats = collection->options->repeats;
    int result = collect_repeats(collection, &collection->set, quick, 0, 1);
    if (!result && !collection->refused)
        result = collect_repeats(collection, &collection->bare, quick, 1, repeats);
    if (!result) result = collect_repeats(collection, &collection->bare, slow, 0, repeats);
    if (!result)
        result = write_batch(collection, &collection->instrumented, slow, 0, NULL,
                             collection->refused ? collection->set.reason : TOO_SLOW);
    return result;
}

/* Runs a point once more. */
static int is_slow(struct workbench *bench, const struct selected *selected, int *slow)
{
    const double start = seconds_now();
    nvtx_variant(selected, -1, 0);
    int result = launch_all(bench, selected);
    nvtx_end();
    if (!result) result = workbench_synchronize(bench);
    *slow = seconds_now() - start > SLOW_SECONDS;
    return result;
}

/* Points of a group, each in one of three lists. */
struct sorted_points {
    struct batch quick, slow;
    struct batch wrong; /* the result is wrong now, although it was right when they were timed */
};

static int add_point(struct sorted_points *points, const struct selected *selected,
                     const struct selected **list[3])
{
    struct workbench *bench = points->quick.bench;
    char reason[160], size[72];
    int slow = 0;
    if (variant_kind(selected->variant) == KIND_CPU) return 0; /* the GPU's counters miss it */
    if (selected->variant->fails) return 0; /* its counts are of a wrong result */
    int result = launch_refused(bench, selected, reason);
    if (result || *reason) return result;
    result = verify_point(bench, selected, reason);
    if (!result) result = is_slow(bench, selected, &slow);
    if (!result && slow)
        list[1][points->slow.count++] = selected;
    else if (!result)
        list[0][points->quick.count++] = selected;
    if (result != FAIL_CHECK) return result;
    list[2][points->wrong.count++] = selected;
    error(FAIL_CHECK,
          "%s/%s at %s gave a wrong result before its counters were collected, so it has none: %s",
          selected->variant->family, selected->variant->name,
          shape_text(&selected->point.shape, size), reason);
    return 0;
}

static int collect_points(struct collection *collection, const struct selected *first, int count,
                          const char *unit)
{
    struct workbench bench;
    const struct selected **all = calloc(3 * (size_t)count, sizeof *all),
                          **list[] = {all, all + count, all + 2 * count};
    struct sorted_points points = {
        {.bench = &bench, .point = list[0]}, {&bench, list[1], 0, 0}, {&bench, list[2], 0, 0}};
    if (!all) return error_memory();
    int result =
        workbench_open(&bench, &collection->device, first, collection->seed, BENCH_CHECKED);
    if (!result) {
        for (int i = 0; i < count && !result; i++) result = add_point(&points, first + i, list);
        if (!result) detail("%s: %d points", unit, points.quick.count + points.slow.count);
        if (!result) result = collect_right(collection, &points.quick, &points.slow);
        if (!result)
            result = write_batch(collection, &collection->set, &points.wrong, 0, NULL,
                                 collection->refused
                                     ? collection->set.reason
                                     : "it gave a wrong result before its counters were collected");
        if (!result) result = verify_count_wrong(collection->run, points.wrong.count);
        workbench_close(&bench);
    }
    free(all);
    return result;
}

/* Facts are written before their unit is finished: a run that is resumed after the last unit has
 * them. */
static int write_facts(struct collection *collection)
{
    struct run *run = collection->run;
    const struct counter_set *set = &collection->set;
    const int none = !collection->cupti || (collection->refused && !collection->collected);
    int result = none ? run_fact_set(run, "counters", ABSENT "%s", set->reason)
                      : run_fact_set(run, "counters", "collected by CUPTI");
    if (result || !collection->cupti) return result;
    result = run_fact_set(run, "chip", "%s", cupti_chip(collection->cupti));
    if (!result)
        result = run_fact_set(run, "cupti_api_version", "%d", cupti_version(collection->cupti));
    if (result) return result;
    if (collection->refused) return run_fact_set(run, "counters_range", ABSENT "%s", set->reason);
    return run_fact_set(run, "counters_range", "%d counters in %d passes, up to %d repeats",
                        set->count, set->passes ? set->passes : collection->bare.passes,
                        collection->options->repeats);
}

static int collect_group(struct collection *collection, const struct selected *first, int count)
{
    struct stage stage;
    char unit[256], size[72];
    snprintf(unit, sizeof unit, "collect %s %s %s", first->family->name,
             shape_text(&first->point.shape, size), collection->set.name);
    if (run_unit_done(collection->run, unit)) return 0;
    int result = stage_begin(&stage, collection->run, STAGE_COLLECT, first);
    if (!result) result = collect_points(collection, first, count, unit);
    result = stage_end(&stage, result);
    if (!result) result = write_facts(collection);
    return result ? result : run_unit_finish(collection->run, unit);
}

static int collect_all(struct collection *collection, const struct selection *selection)
{
    struct stage whole;
    collection->cupti = cupti_open(CUPTI_RANGES, collection->set.reason);
    int result = stage_begin(&whole, NULL, STAGE_COLLECT, NULL);
    progress_begin(STAGE_COLLECT, "points", selection->count);
    for (int start = 0, end; start < selection->count && !result; start = end) {
        const struct selected *first = &selection->points[start];
        char size[72], words[72], what[160];
        end = selection_group_end(selection, start);
        snprintf(what, sizeof what, "%s %s", first->family->name,
                 size_words(shape_text(&first->point.shape, size), words));
        progress_next(end - start, what);
        result = collect_group(collection, first, end - start);
    }
    result = progress_end(stage_end(&whole, result));
    cupti_close(collection->cupti);
    return result;
}

int collect_run(struct run *run, const struct selection *selection, uint64_t seed,
                const struct collect_options *options)
{
    struct collection collection = {.run = run, .options = options, .seed = seed};
    int result = records_read_own(&collection.records);
    if (result) return result;
    result = counter_set_add_ranges(&collection.set, &collection.records, options->sets);
    if (!result) result = split_set(&collection);
    if (!result) result = device_open(&collection.device);
    if (!result) {
        result = collect_all(&collection, selection);
        device_close(&collection.device);
    }
    counter_set_free(&collection.bare);
    counter_set_free(&collection.instrumented);
    counter_set_free(&collection.set);
    records_free(&collection.records);
    return result;
}
