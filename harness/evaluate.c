/*
 * evaluate: from raw tables to metrics. Clean times become medians with intervals, counters become columns, formulas become more columns;
 * all in SQLite. Each repeat of the counters is a row of its own until the end: metrics.csv has the median over the repeats, noise.csv the
 * largest less the smallest.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "announce.h"
#include "expression.h"
#include "facts.h"
#include "impossible.h"
#include "kernel_counters.h"
#include "message.h"
#include "output.h"
#include "pipeline.h"
#include "query.h"
#include "record.h"
#include "stages.h"
#include "stats.h"
#include "text.h"

static const char KEYS[] = "family, variant, size, block, sweep";

/* ---- clean times ------------------------------------------------------------------------------------------------------------------------ */

/* Samples arrive sorted by series; the current series is the last one of query->series. */
struct timing {
    struct query *query;
    char *key;               /* of the current series */
    double *clock;
    int clock_count, throttled, capacity;
    const char *cells[8];
};

static int timing_finish(struct timing *timing)
{
    struct query *query = timing->query;
    if (!timing->key) return 0;
    const struct sample_series *series = &query->series[query->series_count - 1];
    double low, high;
    const size_t count = (size_t)series->count;
    stats_sort(series->sorted, count);
    stats_sort(timing->clock, (size_t)timing->clock_count);
    stats_median_interval(series->sorted, count, &low, &high);
    char *number[6];
    const double value[6] = {stats_quantile(series->sorted, count, 0.5),
                             low,
                             high,
                             stats_quantile(series->sorted, count, 0.25),
                             stats_quantile(series->sorted, count, 0.75),
                             stats_quantile(timing->clock, (size_t)timing->clock_count, 0.5)};
    int result = 0;
    for (int i = 0; i < 6; i++) {
        number[i] = isfinite(value[i]) ? text_new("%.17g", value[i]) : strdup("NULL");
        if (!number[i]) result = error_memory();
    }
    if (!result)
        result =
            query_write(query, "INSERT INTO timing VALUES(%s, %d, %d, %d, 0, %s, %s, %s, %s, %s, %s)", timing->key, query->series_count - 1,
                        series->count, timing->throttled, number[0], number[1], number[2], number[3], number[4], number[5]);
    for (int i = 0; i < 6; i++) free(number[i]);
    free(timing->key);
    timing->key = NULL;
    return result;
}

static int timing_start(struct timing *timing, const char *key)
{
    struct query *query = timing->query;
    struct sample_series *series = realloc(query->series, (size_t)(query->series_count + 1) * sizeof *series);
    if (!series) return error_memory();
    query->series = series;
    memset(&series[query->series_count++], 0, sizeof *series);
    timing->clock_count = timing->throttled = timing->capacity = 0;
    timing->key = strdup(key);
    return timing->key ? 0 : error_memory();
}

static int keep_round(struct sample_series *series, int round, double time_ns)
{
    enum { MOST_ROUNDS = 1 << 20 };
    if (round < 0 || round >= MOST_ROUNDS) return 0;
    if (round >= series->rounds) {
        double *by_round = realloc(series->by_round, (size_t)(round + 64) * sizeof *by_round);
        if (!by_round) return error_memory();
        for (int i = series->rounds; i < round + 64; i++) by_round[i] = NAN;
        series->by_round = by_round;
        series->rounds = round + 64;
    }
    series->by_round[round] = time_ns;
    return 0;
}

static int timing_add(struct timing *timing, const char *time_ns, const char *clock_mhz, int ok, int round)
{
    struct sample_series *series = &timing->query->series[timing->query->series_count - 1];
    if (!ok || !time_ns) {
        timing->throttled += !ok;
        return 0;
    }
    if (series->count == timing->capacity) {
        const int capacity = timing->capacity ? 2 * timing->capacity : 64;
        double *sorted = realloc(series->sorted, (size_t)capacity * sizeof *sorted);
        if (sorted) series->sorted = sorted;
        double *clock = realloc(timing->clock, (size_t)capacity * sizeof *clock);
        if (clock) timing->clock = clock;
        if (!sorted || !clock) return error_memory();
        timing->capacity = capacity;
    }
    series->sorted[series->count++] = strtod(time_ns, NULL);
    const int result = keep_round(series, round, series->sorted[series->count - 1]);
    if (result) return result;
    if (clock_mhz) timing->clock[timing->clock_count++] = strtod(clock_mhz, NULL);
    return 0;
}

/* Columns: the key as an SQL list of literals, time_ns, sm_clock_mhz, is ok, round. */
static int timing_row(void *context, const struct scope *row)
{
    struct timing *timing = context;
    int result = 0;
    if (!timing->key || strcmp(timing->key, row->value[0])) {
        result = timing_finish(timing);
        if (!result) result = timing_start(timing, row->value[0]);
    }
    if (!result) result = timing_add(timing, row->value[1], row->value[2], row->value[3][0] == '1',
                                     (int)strtol(row->value[4], NULL, 10));
    return result;
}

static int make_timing(struct query *query)
{
    struct timing timing = {.query = query};
    int result = query_write(query, "CREATE TABLE timing(family, variant, size TEXT, block INT, sweep INT, l2, kind, copy, series INT, "
                                    "samples INT, throttled INT, main INT, median REAL, low REAL, high REAL, q1 REAL, q3 REAL, clock REAL)");
    if (!result)
        result = query_each(query, NULL,
                            "SELECT "
                            "quote(family)||','||quote(variant)||','||quote(size)||','||block||','||sweep||','||quote(l2)||','||quote(kind)"
                            "||','||quote(copy) AS key, time_ns,"
                            " sm_clock_mhz, status = 'ok', round FROM samples ORDER BY family, variant, size, block, sweep, l2, kind, copy",
                            NULL, timing_row, &timing);
    if (!result) result = timing_finish(&timing);
    if (!result)
        result = query_write(query, "CREATE INDEX timing_key ON timing(family, variant, size, block, sweep);"
                                    "CREATE INDEX timing_series ON timing(series);"
                                    "UPDATE timing SET main = 1 WHERE kind = 'end_to_end' AND copy = 'a' AND l2 = (SELECT CASE v.kind WHEN "
                                    "'cpu' THEN 'warm' ELSE 'cold' END FROM variants v WHERE v.family = timing.family AND v.variant = "
                                    "timing.variant)");
    free(timing.key);
    free(timing.clock);
    return result;
}

/* ---- counters ----------------------------------------------------------------------------------------------------------------------------- */

static int add_counters(struct query *query, const struct records *records)
{
    int result = query_write(query, "CREATE INDEX counters_key ON counters(counter, family, variant, size, block, sweep, repeat, launch)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_COUNTER) continue;
        const char *over = record_field(record, "over");
        const int sum = !strcmp(over, "sum");
        if (!sum && strcmp(over, "first"))
            return error(FAIL_INPUT, "%s:%d: over '%s'; expected sum or first", record->file, record_line(record, "over"), over);
        result = query_write(query,
                             "ALTER TABLE m ADD COLUMN %s REAL; UPDATE m SET %s = (SELECT CASE WHEN count(*) = count(c.value) THEN "
                             "sum(c.value) END FROM counters c"
                             " WHERE c.counter = '%s' AND c.family = m.family AND c.variant = m.variant AND c.size = m.size AND c.block = "
                             "m.block AND c.sweep = m.sweep AND c.repeat = m.repeat%s)",
                             record->name, record->name, record->name, sum ? "" : " AND c.launch = 0");
    }
    return result;
}

/* ---- formulas ----------------------------------------------------------------------------------------------------------------------------- */

struct dependency {
    const struct records *records;
    const struct record *record;
    const unsigned char *done;
    int open;      /* index of a record that must come first, or -1 */
    int on_ladder; /* uses prev_ or first_ */
};

/* Whether `record` must come before `later`, which has the name: it computes what is called so, or it may leave that empty. Checks do not wait for each other. */
static int must_precede(const struct record *record, const struct record *later, const char *name, size_t length)
{
    if (record->kind == RECORD_METRIC) return strlen(record->name) == length && !strncmp(record->name, name, length);
    const int waits = later->kind == RECORD_METRIC || (later->kind == RECORD_CHECK && record->kind != RECORD_CHECK);
    return waits && impossible_empties(record, name, length);
}

static void visit_identifier(const char *name, size_t length, void *context)
{
    struct dependency *dependency = context;
    if (length > 5 && !strncmp(name, "prev_", 5)) {
        dependency->on_ladder = 1;
        name += 5;
        length -= 5;
    } else if (length > 6 && !strncmp(name, "first_", 6)) {
        dependency->on_ladder = 1;
        name += 6;
        length -= 6;
    }
    for (int i = 0; i < dependency->records->count; i++) {
        const struct record *record = &dependency->records->record[i];
        if (!dependency->done[i] && must_precede(record, dependency->record, name, length)) dependency->open = i;
    }
}

static int remake_ladder(struct query *query)
{
    const int result = query_write(query, "DROP VIEW IF EXISTS ladder; DROP TABLE IF EXISTS steps_of; DROP INDEX IF EXISTS m_best");
    return result ? result : query_make_ladder(query, "m");
}

static int add_metric(struct query *query, const struct record *metric, int on_ladder)
{
    const char *formula = record_field(metric, "formula");
    int result = on_ladder ? remake_ladder(query) : 0;
    if (!result) result = expression_check(query, metric, "formula", formula, on_ladder ? "ladder" : "m");
    if (!result) result = query_write(query, "ALTER TABLE m ADD COLUMN %s REAL", metric->name);
    if (!result && on_ladder)
        result = query_write(query,
                             "UPDATE m SET %s = (SELECT (%s) FROM ladder WHERE ladder.family = m.family AND ladder.variant = m.variant AND "
                             "ladder.size = m.size AND ladder.block = m.block"
                             " AND ladder.sweep = m.sweep AND ladder.repeat = m.repeat)",
                             metric->name, formula);
    else if (!result) result = query_write(query, "UPDATE m SET %s = (%s)", metric->name, formula);
    if (!result) result = impossible_follow(query, metric);
    return result ? result : impossible_judge(query, metric);
}

static int is_step(const struct record *record)
{
    return record->kind == RECORD_METRIC || impossible_is_known(record);
}

/* Metrics, checks and bounds, in the order in which they need each other; a circle is an error. */
static int add_metrics(struct query *query, const struct records *records)
{
    unsigned char *done = calloc((size_t)records->count + 1, 1);
    int result = done ? 0 : error_memory();
    for (int left = 1; left && !result;) {
        int progressed = 0;
        left = 0;
        for (int i = 0; i < records->count && !result; i++) {
            const struct record *record = &records->record[i];
            if (!is_step(record) || done[i]) continue;
            struct dependency dependency = {records, record, done, -1, 0};
            if (record->kind == RECORD_METRIC) text_identifiers(record_field(record, "formula"), visit_identifier, &dependency);
            impossible_identifiers(record, visit_identifier, &dependency);
            if (dependency.open >= 0) {
                left++;
                continue;
            }
            result = record->kind == RECORD_METRIC ? add_metric(query, record, dependency.on_ladder) : impossible_judge(query, record);
            done[i] = 1;
            progressed = 1;
        }
        for (int i = 0; i < records->count && left && !progressed && !result; i++)
            if (is_step(&records->record[i]) && !done[i])
                result = error(FAIL_INPUT, "%s:%d: the %s of '%s' needs itself", records->record[i].file, record_line(&records->record[i], "formula"),
                               records->record[i].kind == RECORD_METRIC ? "formula" : record_kind_name(records->record[i].kind), records->record[i].name);
    }
    free(done);
    return result;
}

/* ---- writing ------------------------------------------------------------------------------------------------------------------------------ */

static int is_column(const struct record *record)
{
    return record->kind == RECORD_FACT || record->kind == RECORD_METRIC || record->kind == RECORD_COUNTER;
}

static int write_metrics(struct query *query, const struct records *records, int *impossible)
{
    static const enum record_kind order[] = {RECORD_FACT, RECORD_METRIC, RECORD_COUNTER};
    struct text metrics = {0}, noise = {0};
    text_format(&metrics, "SELECT %s, best", KEYS);
    text_format(&noise, "SELECT %s", KEYS);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        for (int i = 0; i < records->count; i++) {
            const struct record *record = &records->record[i];
            if (!is_column(record) || record->kind != order[k]) continue;
            text_format(&metrics, ", median(%s) AS %s", record->name, record->name);
            if (record->kind != RECORD_FACT)
                text_format(&noise, ", CASE WHEN count(%s) > 1 THEN max(%s) - min(%s) END AS %s", record->name, record->name, record->name,
                            record->name);
        }
    }
    text_format(&metrics, " FROM m GROUP BY %s ORDER BY %s", KEYS, KEYS);
    text_format(&noise, " FROM m GROUP BY %s ORDER BY %s", KEYS, KEYS);
    int result = metrics.failed || noise.failed ? error_memory() : 0;
    struct output_group group = {.count = 0};
    FILE *file;
    if (!result) result = output_group_begin(&group, query->run->directory, "metrics.csv", &file);
    if (!result) result = query_csv(query, NULL, text_string(&metrics), NULL, file);
    if (!result) result = output_group_begin(&group, query->run->directory, "noise.csv", &file);
    if (!result) result = query_csv(query, NULL, text_string(&noise), NULL, file);
    if (!result) result = impossible_write(query, &group, impossible);
    result = output_group_end(&group, result);
    text_free(&metrics);
    text_free(&noise);
    return result;
}

static int compute_metrics(struct run *run)
{
    static const enum table_id needed[] = {TABLE_VARIANTS, TABLE_POINTS,   TABLE_LAUNCHES, TABLE_ACCESSES,
                                           TABLE_SAMPLES,  TABLE_COUNTERS, TABLE_KERNELS,  TABLE_CEILINGS};
    struct records records;
    struct query query;
    int result = records_read_own(&records);
    if (result) return result;
    result = facts_check(&records);
    if (!result) result = query_open(&query, run);
    if (!result) {
        for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++) result = query_load(&query, needed[i]);
        if (!result) result = make_timing(&query);
        if (!result) result = facts_make_points(&query, &records);
        if (!result) result = add_counters(&query, &records);
        if (!result) result = impossible_begin(&query);
        if (!result) result = add_metrics(&query, &records);
        if (!result) result = write_metrics(&query, &records, &run->impossible);
        if (!result) result = kernel_counters_write(&query, &records);
        if (!result) result = announce_results(&query, &records);
        query_close(&query);
    }
    records_free(&records);
    return result;
}

int evaluate_run(struct run *run)
{
    return stage_work(STAGE_EVALUATE, compute_metrics, run);
}
