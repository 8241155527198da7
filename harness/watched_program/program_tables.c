#include "watched_program/program_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"
#include "base/text.h"
#include "measure/occupancy.h"
#include "watched_program/program_plan.h"

enum { MOST_SAMPLES = 20000 /* of a series */ };

struct output {
    struct run *run;
    const struct program_record *record;
    const struct device *device;
};

static void write_key(struct csv_writer *writer, const struct program_point *point)
{
    CSV_TEXTS(writer, point->family, point->variant, point->size);
    CSV_INTEGERS(writer, 0, 0, point->kernel->device);
}

static int64_t volume(const unsigned size[3])
{
    return (int64_t)size[0] * size[1] * size[2];
}

/* ---- the program and its kernels ------------------------------------------------------------- */

static int write_families(struct output *output)
{
    const struct program_record *record = output->record;
    struct csv_writer *writer = run_writer(output->run, TABLE_FAMILIES);
    int last = -1;
    if (!writer) return FAIL_OUTPUT;
    for (int i = 0; i < record->names->count; i++) {
        const struct program_point *point = &record->names->point[i];
        if (point->rung == 0 || point->kernel->process == last) continue;
        last = point->kernel->process; /* kernels are in the order of the processes */
        CSV_TEXTS(writer, point->family, point->family, record->problem,
                  "the bytes that the user names", "bytes", SERIES_L2);
        CSV_NUMBERS(writer, 1, NAN);
        csv_text(writer, NULL); /* which unit a kernel is meant for is not known */
        csv_end(writer);
    }
    return 0;
}

static void append_shape(struct text *text, const unsigned size[3])
{
    text_format(text, "%u", size[0]);
    if (size[1] > 1 || size[2] > 1) text_format(text, " x %u", size[1]);
    if (size[2] > 1) text_format(text, " x %u", size[2]);
}

/* Says whether the times of a kernel fall into two modes: they have a gap of a fifth of the median
 * between neighbours, with a fifth of the launches on each side. */
static int describe_modes(const struct program_kernel *kernel, struct text *text)
{
    const size_t count = kernel->launch_count;
    double *sorted = malloc((count + 1) * sizeof *sorted);
    char before[24], after[24];
    if (!sorted) return error_memory();
    for (size_t i = 0; i < count; i++)
        sorted[i] = kernel->launch[i].end_ns - kernel->launch[i].begin_ns;
    stats_sort(sorted, count);
    size_t widest = count / 5 + 1;
    for (size_t i = widest; i < count - count / 5; i++)
        if (sorted[i] - sorted[i - 1] > sorted[widest] - sorted[widest - 1]) widest = i;
    if (count >= 10 && sorted[widest] - sorted[widest - 1] > sorted[count / 2] / 5)
        text_format(text,
                    " Its times have two modes: %zu launches take about %s, and %zu about %s.",
                    widest, text_time(before, stats_quantile(sorted, widest, 0.5)), count - widest,
                    text_time(after, stats_quantile(sorted + widest, count - widest, 0.5)));
    free(sorted);
    return 0;
}

/* Describes the launches of a kernel in one sentence or two. */
static int describe(const struct program_record *record, const struct program_point *point,
                    struct text *text)
{
    const struct program_kernel *kernel = point->kernel;
    text_format(text, "%s takes %.1f %% of the GPU's time in %zu launch%s with a grid of ",
                kernel->name, 100 * kernel->total_ns / record->choice->total_ns,
                kernel->launch_count, kernel->launch_count == 1 ? "" : "es");
    append_shape(text, kernel->grid);
    text_append(text, " blocks of ");
    append_shape(text, kernel->block);
    text_append(text, " threads");
    if (kernel->dynamic_shared > 0)
        text_format(text, " and %.0f bytes of dynamic shared memory", kernel->dynamic_shared);
    if (*kernel->range) text_format(text, ", in the NVTX range %s", kernel->range);
    text_append(text, kernel->is_graph_node ? ", as a node of a CUDA graph." : ".");
    if (record->replayed >> point->chosen & 1)
        text_append(text,
                    " Its counters are of one launch: those of memory, caches and time without "
                    "replay, the others by replay, which leaves little in the L2 cache, so "
                    "that stalls for memory may be longer.");
    const int result = describe_modes(kernel, text);
    return text->failed ? error_memory() : result;
}

/* Returns 1 if a kernel that was chosen before has the same name, at another size. */
static int is_written(const struct program_record *record, const struct program_point *point)
{
    for (int k = 0; k < point->chosen; k++) {
        const struct program_point *before = program_names_chosen(record->names, k);
        if (!strcmp(before->family, point->family) && !strcmp(before->variant, point->variant))
            return 1;
    }
    return 0;
}

static int write_variant(struct output *output, const struct program_point *point)
{
    if (is_written(output->record, point)) return 0;
    struct csv_writer *writer = run_writer(output->run, TABLE_VARIANTS);
    struct text changes = {0};
    int result = writer ? describe(output->record, point, &changes) : FAIL_OUTPUT;
    if (!result) {
        CSV_TEXTS(writer, point->family, point->variant);
        csv_integer(writer, point->rung);
        CSV_TEXTS(writer, point->title, NULL, NULL, text_string(&changes), NULL, NULL, NULL, NULL,
                  NULL, *point->kernel->cubin ? point->kernel->cubin : NULL,
                  *point->kernel->cubin ? "checksum of the module by CUPTI"
                                        : ABSENT "the library saw no machine code",
                  "kernel", NULL);
        csv_end(writer);
    }
    text_free(&changes);
    return result;
}

static int write_point(struct output *output, const struct program_point *point)
{
    struct csv_writer *writer = run_writer(output->run, TABLE_POINTS);
    if (!writer) return FAIL_OUTPUT;
    write_key(writer, point);
    CSV_TEXTS(writer, "ok", NULL);
    CSV_NUMBERS(writer, point->useful_bytes, NAN, 1, NAN, NAN, NAN, NAN, NAN);
    csv_text(writer, NULL);
    csv_end(writer);
    return 0;
}

/* Columns of launches.csv that only kernels of the tree have. */
static void write_unknown(struct csv_writer *writer, int count)
{
    for (int i = 0; i < count; i++) csv_number(writer, NAN);
}

static int write_launch(struct output *output, const struct program_point *point)
{
    enum { CODE_COLUMNS = 4, CLOSED_FORM_COLUMNS = 4, LATER_COLUMNS = 4 };
    const struct program_kernel *kernel = point->kernel;
    const int threads = (int)volume(kernel->block), blocks = (int)kernel->blocks_per_sm;
    const int known = isfinite(kernel->blocks_per_sm) && isfinite(kernel->max_block_threads);
    char limiter[OCCUPANCY_LIMITER] = "";
    struct csv_writer *writer = run_writer(output->run, TABLE_LAUNCHES);
    if (!writer) return FAIL_OUTPUT;
    if (known)
        occupancy_limiter(
            output->device,
            &(struct kernel_facts){.registers = (int)kernel->registers,
                                   .static_shared = (int)kernel->static_shared,
                                   .max_block_threads = (int)kernel->max_block_threads,
                                   .max_dynamic_shared = (int)kernel->dynamic_shared},
            threads, (size_t)kernel->dynamic_shared, blocks, limiter);
    write_key(writer, point);
    CSV_INTEGERS(writer, 0, volume(kernel->grid), threads);
    CSV_NUMBERS(writer, kernel->registers, kernel->static_shared, kernel->dynamic_shared,
                kernel->local_bytes, kernel->blocks_per_sm,
                known ? 100.0 * blocks * ((threads + 31) / 32 * 32) / output->device->threads_per_sm
                      : NAN);
    CSV_TEXTS(writer, limiter);
    CSV_NUMBERS(writer, NAN, kernel->max_block_threads);
    write_unknown(writer, CODE_COLUMNS + CLOSED_FORM_COLUMNS);
    csv_text(writer, kernel->name);
    write_unknown(writer, LATER_COLUMNS);
    csv_end(writer);
    return 0;
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Returns the SM clock of a chosen kernel while its counters were collected, in MHz, or NAN:
 * activity records have no clock. */
static double clock_of(const struct program_record *record, int chosen)
{
    static const char clock[] = "sm__cycles_elapsed.avg.per_second";
    for (int s = 0; s < record->counter_starts; s++)
        for (size_t i = 0; i < record->counters[s].counter_count; i++) {
            const struct program_counter *counter = &record->counters[s].counter[i];
            if (counter->kernel == chosen && !strcmp(counter->metric, clock) && counter->value > 0)
                return counter->value / 1e6;
        }
    return NAN;
}

static void write_series_key(struct csv_writer *writer, const struct program_point *point,
                             const char *kind, const char *copy)
{
    write_key(writer, point);
    CSV_TEXTS(writer, SERIES_L2, kind, copy);
}

/* Returns 1 if the times of a kernel are those of the starts with kernels one at a time. */
static int is_timed_alone(const struct program_record *record, const struct program_kernel *kernel)
{
    if (!record->alone || !program_plan_times_alone(kernel)) return 0;
    for (int i = 0; i < 2; i++) {
        const struct program_kernel *found = program_kernel_find(&record->alone[i], kernel);
        if (!found || !found->launch_count) return 0;
    }
    return 1;
}

/* Writes the times of a kernel in one start, as the series "a" or "b". */
static int write_copy(struct output *output, const struct program_point *point,
                      const struct program_parts *start, const char *kind, const char *copy)
{
    const struct program_kernel *kernel = program_kernel_find(start, point->kernel);
    const char *problem = program_problem_find(start, "times", point->kernel->process, -1);
    struct csv_writer *series = run_writer(output->run, TABLE_SERIES),
                      *samples = run_writer(output->run, TABLE_SAMPLES);
    const double clock_mhz = clock_of(output->record, point->chosen);
    char reason[STATUS_BYTES] = "all launches of the start";
    int written = 0;
    if (!series || !samples) return FAIL_OUTPUT;
    for (size_t i = 0; kernel && i < kernel->launch_count && written < MOST_SAMPLES; i++) {
        const struct program_launch *launch = &kernel->launch[i];
        if (!program_filter_takes(output->record->filter, launch->ordinal)) continue;
        write_series_key(samples, point, kind, copy);
        csv_integer(samples, written++);
        CSV_NUMBERS(samples, launch->end_ns - launch->begin_ns, clock_mhz);
        csv_text(samples, "ok");
        csv_end(samples);
    }
    if (!kernel)
        snprintf(reason, sizeof reason, ABSENT "the second start did not launch the kernel");
    else if (problem)
        snprintf(reason, sizeof reason, "%s", problem);
    else if (kernel->launch_count != point->kernel->launch_count)
        snprintf(reason, sizeof reason, "%zu launches, where the first start had %zu",
                 kernel->launch_count, point->kernel->launch_count);
    else if (written == MOST_SAMPLES)
        snprintf(reason, sizeof reason, "the first %d launches", MOST_SAMPLES);
    write_series_key(series, point, kind, copy);
    CSV_INTEGERS(series, written, 0);
    csv_text(series, reason);
    csv_end(series);
    return 0;
}

static int write_series(struct output *output, const struct program_point *point)
{
    const struct program_record *record = output->record;
    const int alone = is_timed_alone(record, point->kernel);
    const char *kind = alone ? SERIES_KIND_ALONE : SERIES_KIND;
    const struct program_parts *first = alone ? record->alone : record->first,
                               *second = alone ? record->alone + 1 : record->second;
    const int result = write_copy(output, point, first, kind, "a");
    return result || !second ? result : write_copy(output, point, second, kind, "b");
}

/* ---- counters -------------------------------------------------------------------------------- */

static int is_listed(const char *const *metrics, const char *metric)
{
    while (*metrics && strcmp(*metrics, metric)) metrics++;
    return *metrics != NULL;
}

/* Returns in how many passes a counter of a point was collected. */
static int passes_of(const struct program_record *record, const struct program_point *point,
                     const char *metric)
{
    if (!(record->replayed >> point->chosen & 1)) return record->planned->passes;
    return metric && is_listed(record->replay->one_pass, metric) ? 1 : record->replay->passes;
}

/* Explains why a counter of a point has no value. */
static void explain_absence(const struct program_record *record, const struct program_point *point,
                            const struct counter_plan *plan, char *status, size_t size)
{
    const char *why = record->no_counters;
    const int replayed = record->replayed >> point->chosen & 1;
    if (!why && point->kernel->is_graph_node)
        why = "a CUDA graph launched the kernel: CUPTI 13 has no counters of one pass for it";
    if (!why && !plan->source) why = "the chip has no such counter";
    if (!why && replayed && is_listed(record->replay->falsified, plan->source))
        why = "replaying the launch would falsify it; it did not fit into the pass without replay";
    for (int s = 0; s < record->counter_starts && !why; s++)
        why = program_problem_find(&record->counters[s], "counters", point->kernel->process,
                                   point->chosen);
    if (!why && program_choice_is_minor(record->choice, point->chosen)) why = program_choice_minor;
    if (why)
        snprintf(status, size, ABSENT "%s", why);
    else
        snprintf(status, size, ABSENT "%d of %d passes came: %s",
                 program_passes(record->counters, record->counter_starts, point->kernel->process,
                                point->chosen),
                 record->planned->passes, record->few_passes);
}

static void write_value(struct csv_writer *writer, const struct program_record *record,
                        const struct program_point *point, int repeat,
                        const struct counter_plan *plan, double value, const char *status)
{
    write_key(writer, point);
    CSV_INTEGERS(writer, 0, repeat);
    csv_text(writer, record_field(plan->counter, "set"));
    csv_integer(writer, passes_of(record, point, plan->source));
    CSV_TEXTS(writer, plan->counter->name, plan->source);
    csv_number(writer, value);
    csv_text(writer, status);
    csv_end(writer);
}

static void write_counter(struct csv_writer *writer, const struct program_record *record,
                          const struct program_point *point, int index)
{
    const struct counter_plan *plan = &record->planned->plan[index];
    int repeat = 0;
    char status[REASON_BYTES + 32];
    for (int s = 0; s < record->counter_starts && plan->source; s++)
        for (size_t i = 0; i < record->counters[s].counter_count; i++) {
            if (record->counters[s].is_of_replay != (int)(record->replayed >> point->chosen & 1))
                break;
            const struct program_counter *counter = &record->counters[s].counter[i];
            if (counter->kernel != point->chosen || strcmp(counter->metric, plan->source) ||
                counter->process != point->kernel->process)
                continue;
            write_value(writer, record, point, repeat++, plan, counter->value,
                        isfinite(counter->value) ? "ok" : ABSENT "CUPTI gave no value");
        }
    if (repeat) return;
    explain_absence(record, point, plan, status, sizeof status);
    write_value(writer, record, point, 0, plan, NAN, status);
}

static int write_counters(struct output *output, const struct program_point *point)
{
    struct csv_writer *writer = run_writer(output->run, TABLE_COUNTERS);
    if (!writer) return FAIL_OUTPUT;
    for (int i = 0; i < output->record->planned->count; i++)
        write_counter(writer, output->record, point, i);
    return 0;
}

int program_tables_write(struct run *run, const struct program_record *record,
                         const struct device *device)
{
    static const enum table_id empty[] = {TABLE_CLAIMS,   TABLE_PUBLISHED, TABLE_POINTS,
                                          TABLE_LAUNCHES, TABLE_SERIES,    TABLE_SAMPLES,
                                          TABLE_VARIANTS, TABLE_COUNTERS};
    struct output output = {run, record, device};
    int result = write_families(&output);
    for (size_t i = 0; i < sizeof empty / sizeof *empty && !result; i++)
        if (!run_writer(run, empty[i])) result = FAIL_OUTPUT;
    for (int k = 0; k < record->choice->count && !result; k++) {
        const struct program_point *point = program_names_chosen(record->names, k);
        result = write_variant(&output, point);
        if (!result) result = write_point(&output, point);
        if (!result) result = write_launch(&output, point);
        if (!result) result = write_series(&output, point);
        if (!result) result = write_counters(&output, point);
    }
    return result;
}
