#include "measure/measure_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"
#include "catalog/bank_model.h"
#include "machine_code/kernel_name.h"
#include "machine_code/machine_code.h"
#include "gpu/launch_variant.h"
#include "driver/other_profilers.h"
#include "measure/gpu_timer.h"
#include "measure/occupancy.h"
#include "measure/sustained_power.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

enum { LONGEST_REASON = 160, SECONDS_FOR_POWER = 5 };

/* The points of one family and size, which are timed together. */
struct group {
    struct run *run;
    const struct measure_options *options;
    struct workbench bench;
    const struct selected *first;
    int count;
    int is_of_ones; /* the results must be exact */
    struct {
        const char *status;
        char reason[LONGEST_REASON]; /* why it is not timed; "" if it is */
        struct trials trials;        /* of a rung that is expected to fail */
        struct verified verified;    /* NaN before the first comparison */
    } * point;
    struct series *series;
    int series_count;
    uint64_t random;
    int wrong;
};

static int is_ok(const struct group *group, const struct selected *selected)
{
    return !strcmp(group->point[selected - group->first].status, "ok");
}

/* A rung that is expected to fail is timed as long as no launch was wrong. */
static int is_right(const struct group *group, const struct selected *selected)
{
    const struct trials *trials = &group->point[selected - group->first].trials;
    return is_ok(group, selected) || (trials->count > 0 && !trials->wrong);
}

/* ---- verification ---------------------------------------------------------------------------- */

static int verify_one(struct group *group, int i, const char *when)
{
    const struct selected *selected = &group->first[i];
    const struct variant *variant = selected->variant;
    char reason[LONGEST_REASON] = "", size[72];
    int result = launch_refused(&group->bench, selected, group->point[i].reason);
    if (!result && *group->point[i].reason) {
        nvtx_trouble("skipped", variant, group->point[i].reason);
        group->point[i].status = "skipped";
        return 0;
    }
    if (!result && variant->fails && group->is_of_ones) return 0;
    if (!result && variant->fails) {
        result = verify_trials(&group->bench, selected, &group->point[i].trials, reason);
        group->point[i].status = status_of_trials(group->point[i].trials.wrong);
        snprintf(group->point[i].reason, LONGEST_REASON, "%s", reason);
        return result;
    }
    if (!result) result = verify_point(&group->bench, selected, reason);
    if (!result) group->point[i].verified = group->bench.verified;
    if (!result && group->is_of_ones && group->bench.verified.error != 0) {
        snprintf(reason, sizeof reason, "not exact: relative error %g",
                 group->bench.verified.error);
        result = FAIL_CHECK;
    }
    if (result != FAIL_CHECK) return result;
    group->point[i].status = "failed";
    group->wrong++;
    snprintf(group->point[i].reason, LONGEST_REASON, "%s timing: %.120s", when, reason);
    error(FAIL_CHECK, "%s/%s, size %s, %s: wrong result: %s", variant->family, variant->name,
          shape_text(&selected->point.shape, size), when, reason);
    return 0;
}

static int verify_points(struct group *group, const char *when)
{
    int result = 0;
    for (int i = 0; i < group->count && !result; i++)
        if (is_right(group, &group->first[i])) result = verify_one(group, i, when);
    return result;
}

/* Verifies the points with inputs that are all 1, if their results must be exact then. Adds the
 * number of right ones to the run's fact exact_sums. */
static int verify_ones(struct group *group, const struct device *device, enum workbench_use use)
{
    const struct family *family = group->first->family;
    const char *before = run_fact(group->run, "exact_sums");
    long right = before ? strtol(before, NULL, 10) : 0;
    if (!family->ones_are_exact || !family->ones_are_exact(&group->first->point.shape)) return 0;
    int result = workbench_open(&group->bench, device, group->first, SEED_OF_ONES, use);
    if (result) return result;
    group->is_of_ones = 1;
    result = verify_points(group, "with ones, before");
    group->is_of_ones = 0;
    workbench_close(&group->bench);
    for (int i = 0; i < group->count; i++)
        right += is_ok(group, &group->first[i]) && !group->first[i].variant->fails;
    return result ? result : run_fact_set(group->run, "exact_sums", "%ld", right);
}

/* ---- series ---------------------------------------------------------------------------------- */

static int add_point(struct group *group, const struct selected *selected)
{
    const int most = group->options->most_samples;
    int count;
    const struct series_kind *plan = series_plan(selected->variant, &selected->point, &count);
    struct series *grown =
        realloc(group->series, (size_t)(group->series_count + count) * sizeof *grown);
    if (!grown) return error_memory();
    group->series = grown;
    for (int i = 0; i < count; i++) {
        struct series *series = &grown[group->series_count++];
        *series = (struct series){.selected = selected,
                                  .capacity = most,
                                  .l2 = plan[i].l2,
                                  .kind = plan[i].kind,
                                  .copy = plan[i].copy,
                                  .is_main = i == 0,
                                  .sample = calloc((size_t)most, sizeof *series->sample)};
        if (!series->sample) return error_memory();
    }
    return 0;
}

static void free_group(struct group *group)
{
    for (int i = 0; i < group->series_count; i++) free(group->series[i].sample);
    free(group->series);
    free(group->point);
}

/* ---- launches -------------------------------------------------------------------------------- */

static int write_launch(const struct workbench *bench, const struct selected *selected,
                        unsigned index, const struct listed_kernel *kernel,
                        struct csv_writer *writer)
{
    const struct variant *variant = selected->variant;
    const struct device *device = bench->device;
    const struct launch *launch = &kernel->launch;
    const struct work work = workbench_view(bench, selected);
    struct kernel_facts facts;
    struct sass_counts counts;
    struct access_sums sums;
    char limiter[OCCUPANCY_LIMITER];
    int blocks;
    const int threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    int result = kernel_facts(kernel, &facts);
    if (!result) result = kernel_blocks_per_sm(&facts, threads, launch->dynamic_shared, &blocks);
    if (result) return result;
    const int known = sass_count(facts.symbol, device->compute_capability, &counts);
    char *name = kernel_name(facts.symbol);
    if (!name) return FAIL_OUTPUT;
    shared_accesses_sum(variant, &work, index, &sums);
    point_write(writer, variant, &selected->point);
    CSV_INTEGERS(writer, index, (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
                 threads, facts.registers, facts.static_shared, (int64_t)launch->dynamic_shared,
                 facts.local, blocks);
    csv_number(writer, 100.0 * blocks * ((threads + 31) / 32 * 32) / device->threads_per_sm);
    csv_text(writer,
             occupancy_limiter(device, &facts, threads, launch->dynamic_shared, blocks, limiter));
    csv_number(writer, shared_accesses_excess(variant, &work, index));
    csv_integer(writer, facts.max_block_threads);
    if (known)
        CSV_NUMBERS(writer, counts.shuffles, counts.warp_reductions, counts.barriers,
                    counts.float_adds);
    else
        CSV_NUMBERS(writer, NAN, NAN, NAN, NAN);
    CSV_NUMBERS(writer, sums.load_wavefronts, sums.store_wavefronts, sums.load_ideal,
                sums.store_ideal);
    csv_text(writer, name);
    CSV_NUMBERS(writer, known && counts.loop_barriers >= 0 ? counts.loop_barriers : NAN,
                known ? counts.shared_stores : NAN, sums.matrix_wavefronts, sums.matrix_ideal);
    csv_end(writer);
    free(name);
    return 0;
}

/* Writes one row of launches.csv for each kernel of the point, a library's too, and counts them.
 * Occupancy and its limiter are those of NVIDIA's cuda_occupancy.h; if the driver's number of
 * blocks differs, the driver's stands and the limiter stays empty, with a warning. */
static int write_launches(const struct workbench *bench, const struct selected *selected,
                          struct csv_writer *writer, unsigned *kernels)
{
    struct listed_kernel *list;
    int result = launch_kernels(bench, selected, &list, kernels);
    for (unsigned i = 0; i < *kernels && !result; i++)
        result = write_launch(bench, selected, i, &list[i], writer);
    free(list);
    return result;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_kind(struct csv_writer *writer, const struct series *series)
{
    static const char *const l2_names[] = {"cold", "warm"};
    static const char *const kind_names[] = {"end_to_end", "kernels"};
    const char copy[2] = {series->copy, 0};
    point_write(writer, series->selected->variant, &series->selected->point);
    CSV_TEXTS(writer, l2_names[series->l2], kind_names[series->kind], copy);
}

static void write_series(struct csv_writer *summary, struct csv_writer *samples,
                         const struct series *series)
{
    int throttled = 0;
    for (int s = 0; s < series->count; s++) {
        const struct sample *sample = &series->sample[s];
        throttled += sample->throttled;
        write_kind(samples, series);
        csv_integer(samples, sample->round);
        CSV_NUMBERS(samples, sample->time_ns, sample->clock_mhz);
        csv_text(samples, sample->throttled ? "throttled" : "ok");
        csv_end(samples);
    }
    write_kind(summary, series);
    CSV_INTEGERS(summary, series->count, throttled);
    csv_text(summary, series->stop_reason);
    csv_end(summary);
}

static int write_point(struct group *group, int i, struct csv_writer *points,
                       struct csv_writer *launches, struct csv_writer *accesses)
{
    const struct selected *selected = &group->first[i];
    const struct family *family = selected->family;
    const struct shape *shape = &selected->point.shape;
    const struct trials *trials = &group->point[i].trials;
    const int tried = trials->count > 0;
    const char *choice = NULL;
    double input_bytes = 0;
    unsigned count = 0;
    if (is_ok(group, selected) || tried) {
        const struct work work = workbench_view(&group->bench, selected);
        const int result = write_launches(&group->bench, selected, launches, &count);
        if (result) return result;
        shared_accesses_write(accesses, selected->variant, &work);
        if (selected->variant->choice) choice = selected->variant->choice(&work);
    }
    for (int input = 0; input < family->input_count; input++)
        input_bytes += (double)family->input_bytes(shape, input);
    point_write(points, selected->variant, &selected->point);
    CSV_TEXTS(points, group->point[i].status, group->point[i].reason);
    CSV_NUMBERS(points, family->useful_bytes(shape), family->useful_operations(shape),
                count ? count : NAN, /* the CPU launches nothing; a library may hide its kernels */
                input_bytes, tried ? trials->count : NAN, tried ? trials->wrong : NAN,
                group->point[i].verified.error, group->point[i].verified.bound);
    csv_text(points, choice);
    csv_end(points);
    return 0;
}

static int write_group(struct group *group)
{
    struct csv_writer *points = run_writer(group->run, TABLE_POINTS),
                      *launches = run_writer(group->run, TABLE_LAUNCHES),
                      *accesses = run_writer(group->run, TABLE_ACCESSES),
                      *summary = run_writer(group->run, TABLE_SERIES),
                      *samples = run_writer(group->run, TABLE_SAMPLES);
    if (!points || !launches || !accesses || !summary || !samples) return FAIL_OUTPUT;
    int result = 0;
    for (int i = 0; i < group->count && !result; i++)
        result = write_point(group, i, points, launches, accesses);
    for (int i = 0; i < group->series_count && !result; i++)
        if (is_right(group, group->series[i].selected))
            write_series(summary, samples, &group->series[i]);
    return result;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static int announce_time(const struct series *series)
{
    const struct nvtx_point point = nvtx_point(series->selected);
    double *sorted = malloc((size_t)(series->count + 1) * sizeof *sorted);
    size_t count = 0;
    if (!sorted) return error_memory();
    for (int s = 0; s < series->count; s++)
        if (!series->sample[s].throttled) sorted[count++] = series->sample[s].time_ns;
    const double time_ns = stats_median(sorted, count);
    nvtx_result(&point, &(struct nvtx_result){time_ns, point.useful_bytes / time_ns, NAN, NAN});
    free(sorted);
    return 0;
}

/* Announces the median times of the points that were right, and the samples that were set aside. */
static int announce_group(const struct group *group)
{
    int result = 0;
    if (!nvtx_listening()) return 0;
    for (int i = 0; i < group->series_count && !result; i++) {
        const struct series *series = &group->series[i];
        for (const struct sample *at = series->sample; at < series->sample + series->count; at++)
            if (at->throttled)
                nvtx_throttled(series->selected, at->round, series->l2 == L2_COLD, at->time_ns,
                               at->clock_mhz);
        if (is_ok(group, series->selected) && series->is_main) result = announce_time(series);
    }
    return result;
}

/* ---- timing ---------------------------------------------------------------------------------- */

static int time_gpu_points(struct group *group)
{
    struct timer timer;
    double overhead_ns = 0;
    int result = 0;
    for (const struct selected *at = group->first; at < group->first + group->count && !result;
         at++)
        if (is_right(group, at) && variant_kind(at->variant) != KIND_CPU)
            result = add_point(group, at);
    if (result || group->series_count == 0) return result;
    if (!CUDA_OK(cudaCtxResetPersistingL2Cache())) return FAIL_GPU;
    result = timer_open(&timer, &group->bench.gate, &group->bench);
    if (result) return result;
    result = timer_overhead(&timer, &overhead_ns);
    if (!result) result = run_fact_set(group->run, "event_overhead_ns", "%.0f", overhead_ns);
    if (!result)
        result = sampling_rounds_run(&(struct rounds){
            group->series, group->series_count, group->options->most_samples,
            group->options->most_seconds, &group->random, timer_sample, NULL, &timer});
    if (!result && other_profilers_unheld())
        result = run_fact_set(group->run, "timing", "not clean: %s", other_profilers_unheld());
    timer_close(&timer);
    return result;
}

static int time_cpu_points(struct group *group)
{
    int result = 0;
    for (const struct selected *at = group->first; at < group->first + group->count && !result;
         at++) {
        if (!is_ok(group, at) || variant_kind(at->variant) != KIND_CPU) continue;
        result = add_point(group, at);
        if (result) break;
        struct series *a = &group->series[group->series_count - 2];
        result = timer_cpu_samples(&group->bench, a, a + 1, group->options->most_seconds / 4);
    }
    return result;
}

/* Not at small sizes. Tensor cores need so much power that the board lowers its clock: that of all
 * rungs is measured at the primary size, and of the top rung beyond it and in a short run. */
static int wants_power(const struct group *group, const struct selected *at,
                       const struct selected *top)
{
    const struct family *family = at->family;
    struct shape primary;
    double beyond = 0; /* useful operations, less those of the primary size */
    if (!is_ok(group, at) || variant_kind(at->variant) == KIND_CPU) return 0;
    if (family->primary_size && !shape_read(&primary, family->primary_size, family->rank))
        beyond = family->useful_operations(&at->point.shape) - family->useful_operations(&primary);
    if (beyond < 0) return 0;
    if (at->variant->sustained) return 1;
    if (family->unit == UNIT_FP32) return 0;
    const int is_short = group->options->most_seconds < SECONDS_FOR_POWER;
    return at == top || (!is_short && beyond <= 0);
}

static int measure_power(struct group *group)
{
    const struct selected *end = group->first + group->count, *top = NULL;
    struct csv_writer *writer = run_writer(group->run, TABLE_POWER);
    struct power_meter meter;
    int result = 0, count = 0;
    if (!writer) return FAIL_OUTPUT;
    if (other_profilers_unheld()) return 0;
    for (const struct selected *at = group->first; at < end; at++)
        if (is_ok(group, at) && variant_kind(at->variant) == KIND_KERNEL) top = at;
    for (const struct selected *at = group->first; at < end; at++)
        count += wants_power(group, at, top);
    if (!count) return 0;
    power_meter_open(&meter, group->bench.device);
    for (const struct selected *at = group->first; at < end && !result; at++)
        if (wants_power(group, at, top))
            result = sustained_power_write(&meter, &group->bench, at, writer);
    power_meter_close(&meter);
    return result;
}

static int measure_group(struct group *group, const struct device *device)
{
    enum workbench_use use = BENCH_CHECKED;
    group->point = calloc((size_t)group->count, sizeof *group->point);
    if (!group->point) return error_memory();
    for (int i = 0; i < group->count; i++) {
        group->point[i].status = "ok";
        group->point[i].verified = (struct verified){NAN, NAN};
        if (variant_kind(group->first[i].variant) == KIND_CPU) use = BENCH_CHECKED_ON_CPU;
    }
    int result = verify_ones(group, device, use);
    if (!result)
        result = workbench_open(&group->bench, device, group->first, group->options->seed, use);
    if (result) return result;
    result = verify_points(group, "before");
    if (!result) result = time_gpu_points(group);
    if (!result) result = measure_power(group);
    if (!result) result = time_cpu_points(group);
    if (!result) result = verify_points(group, "after");
    if (!result) result = announce_group(group);
    if (!result) result = write_group(group);
    workbench_close(&group->bench);
    return result;
}

static int measure_unit(struct group *group, const struct device *device)
{
    char size[72], words[72], unit[256], what[160];
    struct stage stage;
    const char *family = group->first->family->name;
    snprintf(unit, sizeof unit, "measure %s %s", family,
             shape_text(&group->first->point.shape, size));
    snprintf(what, sizeof what, "%s %s", family, size_words(size, words));
    progress_next(group->count, what);
    if (run_unit_done(group->run, unit)) return 0;
    detail("%s: %d points", unit, group->count);
    int result = stage_begin(&stage, group->run, STAGE_MEASURE, group->first);
    if (!result) result = measure_group(group, device);
    result = stage_end(&stage, result);
    if (!result) result = verify_count_wrong(group->run, group->wrong);
    if (!result) result = run_unit_finish(group->run, unit);
    free_group(group);
    return result;
}

int measure_run(struct run *run, const struct selection *selection,
                const struct measure_options *options)
{
    struct device device;
    struct stage whole;
    int result = device_open(&device);
    if (result) return result;
    result = stage_begin(&whole, NULL, STAGE_MEASURE, NULL);
    progress_begin(STAGE_MEASURE, "points", selection->count);
    for (int start = 0, end; start < selection->count && !result; start = end) {
        end = selection_group_end(selection, start);
        struct group group = {.run = run,
                              .options = options,
                              .first = &selection->points[start],
                              .count = end - start,
                              .random = options->seed};
        result = measure_unit(&group, &device);
    }
    result = progress_end(stage_end(&whole, result));
    device_close(&device);
    return result;
}
