#include "collect/collect_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/progress.h"
#include "base/text.h"
#include "collect/collector.h"
#include "gpu/launch_variant.h"
#include "gpu/other_profilers.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

/* The work of one collector for the whole of a run: its plans are resolved once, it is opened
 * for each problem size. */
struct job {
    struct counter_set set;
    const struct collector *collector;
    int ran;       /* some unit of it was collected, or refused, by this process */
    int refused;   /* its counters cannot be had; set.reason says why */
    int collected; /* some were, by this process */
};

static const struct collector *const collectors[] = {&collector_range};

enum { COLLECTOR_COUNT = sizeof collectors / sizeof *collectors };

struct collection {
    struct run *run;
    const struct collect_options *options;
    uint64_t seed;
    struct device device;
    struct records records;
    struct cupti *cupti;
    char reason[REASON_BYTES]; /* why there is none; "" */
    struct job job[COLLECTOR_COUNT];
    int image_kept;
};

/* ---- the plan -------------------------------------------------------------------------------- */

/* Adds the counters of a set to the job of its collector. */
static int plan_set(struct collection *collection, const struct record *set)
{
    const struct records *records = &collection->records;
    int j = 0;
    if (!strcmp(record_field(set, "collector"), COLLECTOR_PROBE) ||
        !strcmp(record_field(set, "collector"), COLLECTOR_SAMPLER))
        return 0;
    while (j < COLLECTOR_COUNT && strcmp(collectors[j]->name, record_field(set, "collector"))) j++;
    if (j == COLLECTOR_COUNT)
        return error(FAIL_INPUT,
                     "%s:%d: no collector is called '%s'; expected range, probe or sampler",
                     set->file, record_line(set, "collector"), record_field(set, "collector"));
    struct counter_set *plans = &collection->job[j].set;
    for (int i = 0; i < records->count; i++) {
        const struct record *counter = &records->record[i];
        if (counter->kind == RECORD_COUNTER && !strcmp(record_field(counter, "set"), set->name))
            plans->plan[plans->count++].counter = counter;
    }
    return 0;
}

static int make_plan(struct collection *collection)
{
    int result = 0;
    for (int j = 0; j < COLLECTOR_COUNT && !result; j++) {
        collection->job[j].collector = collectors[j];
        collection->job[j].set.name = collectors[j]->name;
        collection->job[j].set.plan =
            calloc((size_t)collection->records.count + 1, sizeof *collection->job[j].set.plan);
        if (!collection->job[j].set.plan) result = error_memory();
    }
    for (int i = 0; i < collection->records.count && !result; i++) {
        const struct record *record = &collection->records.record[i];
        if (record->kind == RECORD_SET && collect_listed(collection->options->sets, record->name))
            result = plan_set(collection, record);
    }
    return result;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_value(struct csv_writer *writer, const struct selected *selected, unsigned launch,
                        int repeat, const struct counter_set *set, const struct counter_plan *plan,
                        double value, const char *status)
{
    point_write(writer, selected->variant, &selected->point);
    csv_integer(writer, launch);
    csv_integer(writer, repeat);
    csv_text(writer, record_field(plan->counter, "set"));
    csv_integer(writer, set->passes);
    csv_text(writer, plan->counter->name);
    csv_text(writer, plan->source);
    csv_number(writer, value);
    csv_text(writer, status);
    csv_end(writer);
}

/* Bank conflicts of every point of a batch, by the hardware's own counters, for a tool that
 * listens. A point of which one is not known has no mark. */
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

/* Values of one batch and repeat; value is NULL when the whole set is refused. */
static void write_batch(struct csv_writer *writer, const struct batch *batch, int repeat,
                        const struct job *job, const char *chip, const double *value)
{
    unsigned first = 0;
    for (int p = 0; p < batch->count; p++) {
        const unsigned launches =
            variant_launches(batch->point[p]->variant, &batch->point[p]->point);
        for (unsigned launch = 0; launch < launches; launch++) {
            for (int c = 0; c < job->set.count; c++) {
                const struct counter_plan *plan = &job->set.plan[c];
                const double one =
                    value ? value[(size_t)(first + launch) * (size_t)job->set.count + (size_t)c]
                          : NAN;
                char status[REASON_BYTES + 32] = "ok";
                if (!value)
                    snprintf(status, sizeof status, "absent: %s", job->set.reason);
                else if (!plan->source)
                    snprintf(status, sizeof status, "absent: chip %s has no such counter", chip);
                else if (!isfinite(one))
                    snprintf(status, sizeof status, "absent: CUPTI returned no number (0/0)");
                write_value(writer, batch->point[p], launch, repeat, &job->set, plan, one, status);
            }
        }
        first += launches;
    }
}

/* ---- collection ------------------------------------------------------------------------------ */

int collect_refused(const struct collect_options *options, const char *what, const char *reason)
{
    nvtx_trouble("counters refused", NULL, reason);
    if (options->demand) return error(FAIL_GPU, "%s: %s", what, reason);
    if (!other_profilers_explains(reason)) warning("%s are not collected: %s", what, reason);
    return 0;
}

static int refuse(const struct collection *collection, struct job *job)
{
    if (job->refused) return 0;
    job->refused = 1;
    return collect_refused(collection->options, "counters", job->set.reason);
}

static int keep_image(struct collection *collection, const struct job *job, void *state)
{
    if (!collection->options->keep_image || !job->collector->keep || collection->image_kept)
        return 0;
    collection->image_kept = 1;
    const int result = job->collector->keep(state, collection->options->keep_image);
    if (!result) note("kept the counter-data image in %s", collection->options->keep_image);
    return result;
}

int collect_goes_on(int done, int wanted, double seconds)
{
    return done < wanted && (done == 0 || seconds <= MOST_BATCH_SECONDS);
}

static int collect_batch(struct collection *collection, struct job *job, void *state,
                         const struct batch *batch, struct csv_writer *writer)
{
    double *value = malloc((size_t)batch->launches * (size_t)job->set.count * sizeof *value);
    if (!value) return error_memory();
    const double start = seconds_now();
    int result = 0;
    for (int repeat = 0;
         collect_goes_on(repeat, collection->options->repeats, seconds_now() - start) && !result;
         repeat++) {
        if (!job->refused) {
            job->set.reason[0] = 0;
            result = job->collector->collect(state, batch, value);
            if (result == FAIL_GPU && job->set.reason[0]) result = refuse(collection, job);
        }
        if (!result && !job->refused && repeat == 0) announce_batch(batch, &job->set, value);
        job->collected |= !result && !job->refused;
        if (!result)
            write_batch(writer, batch, repeat, job,
                        collection->cupti ? cupti_chip(collection->cupti) : "",
                        job->refused ? NULL : value);
    }
    free(value);
    return result;
}

/* One collector's counters for the points of one problem size, in batches of a bounded number of
 * ranges. */
static int collect_set(struct collection *collection, struct job *job, struct batch *all)
{
    enum { MOST_LAUNCHES = 128 };
    struct csv_writer *writer = run_writer(collection->run, TABLE_COUNTERS);
    void *state = NULL;
    int result = writer ? 0 : FAIL_OUTPUT;
    if (!result && !job->refused && !collection->cupti) result = refuse(collection, job);
    if (!result && !job->refused) {
        result = job->collector->open(&state, collection->cupti, &job->set);
        if (result == FAIL_GPU) result = refuse(collection, job);
    }
    for (int start = 0; start < all->count && !result;) {
        struct batch batch = {all->bench, all->gate, all->point + start, 0, 0};
        do {
            const struct selected *point = all->point[start++];
            batch.launches += variant_launches(point->variant, &point->point);
            batch.count++;
        } while (start < all->count &&
                 batch.launches +
                         variant_launches(all->point[start]->variant, &all->point[start]->point) <=
                     MOST_LAUNCHES);
        result = collect_batch(collection, job, state, &batch, writer);
        progress_part((double)start / all->count);
        if (!result && state && !job->refused) result = keep_image(collection, job, state);
    }
    if (state) job->collector->close(state);
    return result;
}

/* The points of a group: those that are counted, and those that gave a wrong result now. */
struct sorted {
    struct batch right;
    const struct selected **wrong;
    int wrong_count;
};

/* Points that give a wrong result are not worth counting; they were right when they were timed,
 * so it is said. */
static int find_right(struct workbench *bench, const struct selected *first, int count,
                      struct sorted *sorted, const struct selected **list)
{
    sorted->right.point = list;
    for (int i = 0; i < count; i++) {
        char reason[160], size[72];
        const struct variant *variant = first[i].variant;
        int refused;
        if (variant_kind(variant) == KIND_CPU)
            continue; /* the GPU's counters have nothing to say of it */
        int result = invoke_refuses(bench, variant, &first[i].point, &refused, reason);
        if (!result && refused) continue;
        if (!result) result = work_verify(bench, variant, &first[i].point, reason);
        if (result && result != FAIL_CHECK) return result;
        if (!result) {
            list[sorted->right.count++] = &first[i];
            continue;
        }
        error(FAIL_CHECK,
              "%s/%s at %s gave a wrong result when its counters were to be collected, and has "
              "none: %s",
              variant->family, variant->name, shape_text(&first[i].point.shape, size), reason);
        sorted->wrong[sorted->wrong_count++] = &first[i];
    }
    return 0;
}

/* They count as wrong results of the run, whichever collectors there are. */
static int count_wrong(struct collection *collection, const struct sorted *sorted)
{
    const char *before = run_fact(collection->run, "wrong_results");
    if (!sorted->wrong_count) return 0;
    return run_fact_set(collection->run, "wrong_results", "%ld",
                        (before ? strtol(before, NULL, 10) : 0) + sorted->wrong_count);
}

/* Their counters are absent, with the reason. */
static int write_wrong(struct collection *collection, struct job *job, const struct sorted *sorted)
{
    struct csv_writer *writer =
        sorted->wrong_count ? run_writer(collection->run, TABLE_COUNTERS) : NULL;
    const struct batch batch = {.point = sorted->wrong, .count = sorted->wrong_count};
    if (!sorted->wrong_count) return 0;
    if (!writer) return FAIL_OUTPUT;
    if (!job->refused)
        snprintf(job->set.reason, sizeof job->set.reason,
                 "it gave a wrong result when its counters were to be collected");
    write_batch(writer, &batch, 0, job, "", NULL);
    if (!job->refused) job->set.reason[0] = 0;
    return 0;
}

static void unit_name(char unit[256], const struct selected *first, const struct job *job)
{
    char size[72];
    snprintf(unit, 256, "collect %s %s %s", first->family->name,
             shape_text(&first->point.shape, size), job->set.name);
}

/* What is left to collect for the points of one group, in its stage; the units that are done
 * then are not finished yet. */
static int collect_points(struct collection *collection, const struct selected *first, int count)
{
    struct workbench bench;
    struct stream_gate gate;
    char unit[256];
    const struct selected **list = calloc(2 * (size_t)count, sizeof *list);
    if (!list) return error_memory();
    int result = work_open(&bench, &collection->device, first->family, &first->point.shape,
                           collection->seed, WORK_CHECKED);
    if (!result) {
        result = stream_gate_open(&gate, collection->device.stream, collection->device.l2_bytes);
        if (!result) {
            struct sorted sorted = {.right = {.bench = &bench, .gate = &gate},
                                    .wrong = list + count};
            result = find_right(&bench, first, count, &sorted, list);
            for (int j = 0; j < COLLECTOR_COUNT && !result; j++) {
                unit_name(unit, first, &collection->job[j]);
                if (run_unit_done(collection->run, unit)) continue;
                detail("%s: %d points", unit, sorted.right.count);
                collection->job[j].ran = 1;
                result = collect_set(collection, &collection->job[j], &sorted.right);
                if (!result) result = write_wrong(collection, &collection->job[j], &sorted);
            }
            if (!result) result = count_wrong(collection, &sorted);
            stream_gate_close(&gate);
        }
        work_close(&bench);
    }
    free(list);
    return result;
}

/* Before the units are finished that they are about: a run that is resumed behind the last of
 * them has them. */
static int write_facts(struct collection *collection)
{
    int refused = 0;
    for (int j = 0; j < COLLECTOR_COUNT; j++)
        refused += collection->job[j].refused && !collection->job[j].collected;
    if (!collection->cupti)
        return run_fact_set(collection->run, "counters", "absent: %s", collection->reason);
    int result =
        refused == COLLECTOR_COUNT
            ? run_fact_set(collection->run, "counters", "absent: %s", collection->job[0].set.reason)
            : run_fact_set(collection->run, "counters", "collected by CUPTI");
    if (!result)
        result = run_fact_set(collection->run, "chip", "%s", cupti_chip(collection->cupti));
    if (!result)
        result = run_fact_set(collection->run, "cupti_api_version", "%d",
                              cupti_version(collection->cupti));
    for (int j = 0; j < COLLECTOR_COUNT && !result; j++) {
        const struct job *job = &collection->job[j];
        char key[64];
        if (!job->ran) continue;
        snprintf(key, sizeof key, "counters_%.40s", job->set.name);
        if (job->refused)
            result = run_fact_set(collection->run, key, "absent: %s", job->set.reason);
        else
            result =
                run_fact_set(collection->run, key, "%d counters in %d passes, up to %d repeats",
                             job->set.count, job->set.passes, collection->options->repeats);
    }
    return result;
}

static int collect_group(struct collection *collection, const struct selected *first, int count)
{
    struct stage stage;
    char unit[256];
    int todo = 0;
    for (int j = 0; j < COLLECTOR_COUNT; j++) {
        unit_name(unit, first, &collection->job[j]);
        todo += !run_unit_done(collection->run, unit);
    }
    if (!todo) return 0;
    int result = stage_begin(&stage, collection->run, STAGE_COLLECT, first);
    if (!result) result = collect_points(collection, first, count);
    result = stage_end(&stage, result);
    if (!result) result = write_facts(collection);
    for (int j = 0; j < COLLECTOR_COUNT && !result; j++) {
        unit_name(unit, first, &collection->job[j]);
        if (!run_unit_done(collection->run, unit)) result = run_unit_finish(collection->run, unit);
    }
    return result;
}

static void free_jobs(struct collection *collection)
{
    for (int j = 0; j < COLLECTOR_COUNT; j++) {
        struct counter_set *set = &collection->job[j].set;
        for (int c = 0; c < set->count; c++) free(set->plan[c].source);
        free(set->plan);
    }
}

int collect_run(struct run *run, const struct selection *selection, uint64_t seed,
                const struct collect_options *options)
{
    struct collection collection = {.run = run, .options = options, .seed = seed};
    int result = records_read_own(&collection.records);
    if (result) return result;
    result = make_plan(&collection);
    if (!result) result = device_open(&collection.device);
    if (!result) {
        collection.cupti = cupti_open(CUPTI_RANGES, collection.reason);
        for (int j = 0; j < COLLECTOR_COUNT && !collection.cupti; j++)
            snprintf(collection.job[j].set.reason, REASON_BYTES, "%s", collection.reason);
        struct stage whole;
        result = stage_begin(&whole, NULL, STAGE_COLLECT, NULL);
        progress_begin(STAGE_COLLECT, "points", selection->count);
        for (int start = 0, end; start < selection->count && !result; start = end) {
            char size[72], what[160];
            const struct selected *first = &selection->points[start];
            end = selection_group_end(selection, start);
            snprintf(what, sizeof what, "%s %s", first->family->name,
                     shape_text(&first->point.shape, size));
            progress_next(end - start, what);
            result = collect_group(&collection, first, end - start);
        }
        result = progress_end(stage_end(&whole, result));
        cupti_close(collection.cupti);
        device_close(&collection.device);
    }
    free_jobs(&collection);
    records_free(&collection.records);
    return result;
}
