/*
 * evaluate: from raw tables to metrics. Clean times become medians with intervals, counters become
 * columns, formulas become more columns; all in SQLite. Each repeat of the counters is a row of its
 * own until the end: metrics.csv has the median over the repeats, noise.csv the largest less the
 * smallest. A large run is evaluated in halves (evaluate/halves.h).
 */
#include <math.h>
#include <stdlib.h>

#include "base/atomic_files.h"
#include "base/message.h"
#include "base/stats.h"
#include "catalog/records.h"
#include "evaluate/clean_times.h"
#include "evaluate/evaluate.h"
#include "evaluate/halves.h"
#include "evaluate/kernel_counters.h"
#include "evaluate/metric_checks.h"
#include "evaluate/metric_formulas.h"
#include "evaluate/metric_table.h"
#include "evaluate/nvtx_results.h"
#include "evaluate/point_facts.h"
#include "query/query.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* The columns of metrics.csv and noise.csv behind their keys, in the order of the file. */
struct written {
    struct csv_writer metrics, noise;
    int columns;
    const struct record **record; /* of each column */
    double *value; /* of the point at hand: all its repeats of one column, then the next; NAN where
                      it is absent */
    int repeats, capacity;
};

static int choose_columns(struct written *written, const struct records *records)
{
    static const enum record_kind order[] = {RECORD_FACT, RECORD_METRIC, RECORD_COUNTER};
    written->record = calloc((size_t)records->count + 1, sizeof *written->record);
    if (!written->record) return error_memory();
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (int i = 0; i < records->count; i++)
            if (records->record[i].kind == order[k])
                written->record[written->columns++] = &records->record[i];
    return 0;
}

enum { KEYS = 5, BEST = KEYS, POINT_ID, FIRST_VALUE }; /* columns of the statement that reads m */

static void write_headers(struct written *written)
{
    static const char *const keys[] = {"family", "variant", "size", "block", "sweep"};
    for (int i = 0; i < KEYS; i++) {
        csv_text(&written->metrics, keys[i]);
        csv_text(&written->noise, keys[i]);
    }
    csv_text(&written->metrics, "best");
    for (int i = 0; i < written->columns; i++) {
        csv_text(&written->metrics, written->record[i]->name);
        if (written->record[i]->kind != RECORD_FACT)
            csv_text(&written->noise, written->record[i]->name);
    }
    csv_end(&written->metrics);
    csv_end(&written->noise);
}

static void write_keys(struct written *written, sqlite3_stmt *read)
{
    for (int i = 0; i < KEYS; i++) {
        const char *cell = (const char *)sqlite3_column_text(read, i);
        csv_text(&written->metrics, cell);
        csv_text(&written->noise, cell);
    }
    csv_integer(&written->metrics, sqlite3_column_int64(read, BEST));
}

static int keep_repeat(struct written *written, sqlite3_stmt *read)
{
    if (written->repeats == written->capacity) {
        const int capacity = written->capacity ? 2 * written->capacity : 4;
        double *value = calloc((size_t)capacity * (size_t)(written->columns + 1), sizeof *value);
        if (!value) return error_memory();
        for (int i = 0; i < written->columns; i++)
            for (int k = 0; k < written->repeats; k++)
                value[i * capacity + k] = written->value[i * written->capacity + k];
        free(written->value);
        written->value = value;
        written->capacity = capacity;
    }
    for (int i = 0; i < written->columns; i++) {
        const int is_null = sqlite3_column_type(read, FIRST_VALUE + i) == SQLITE_NULL;
        written->value[i * written->capacity + written->repeats] =
            is_null ? NAN : sqlite3_column_double(read, FIRST_VALUE + i);
    }
    written->repeats++;
    return 0;
}

/* The median over the repeats of a point, and how far they are apart where there are two or more.
 */
static void write_point(struct written *written)
{
    for (int i = 0; i < written->columns && written->repeats > 0; i++) {
        double *value = written->value + i * written->capacity;
        size_t known = 0;
        for (int k = 0; k < written->repeats; k++)
            if (!isnan(value[k])) value[known++] = value[k];
        stats_sort(value, known);
        csv_number(&written->metrics, stats_quantile(value, known, 0.5));
        if (written->record[i]->kind != RECORD_FACT)
            csv_number(&written->noise, known > 1 ? value[known - 1] - value[0] : NAN);
    }
    if (written->repeats > 0) {
        csv_end(&written->metrics);
        csv_end(&written->noise);
    }
    written->repeats = 0;
}

static int write_rows(struct written *written, struct query *query)
{
    struct text sql = {0};
    sqlite3_stmt *read = NULL;
    int64_t point = -1;
    int status = SQLITE_DONE,
        result = query_write(query,
                             "CREATE TABLE m_order(place INTEGER PRIMARY KEY, row_id INTEGER); "
                             "INSERT INTO m_order(row_id) SELECT row_id"
                             " FROM m_facts ORDER BY family, variant, size, block, sweep, repeat");
    text_append(&sql, "SELECT m.family, m.variant, m.size, m.block, m.sweep, m.best, m.point");
    for (int i = 0; i < written->columns; i++)
        text_format(&sql, ", m.%s", written->record[i]->name);
    text_append(&sql, " FROM m_order o CROSS JOIN m ON m.row_id = o.row_id ORDER BY o.place");
    if (!result)
        result = sql.failed ? error_memory() : query_prepare_write(query, text_string(&sql), &read);
    while (!result && (status = sqlite3_step(read)) == SQLITE_ROW) {
        if (sqlite3_column_int64(read, POINT_ID) != point) {
            write_point(written);
            point = sqlite3_column_int64(read, POINT_ID);
            write_keys(written, read);
        }
        result = keep_repeat(written, read);
    }
    if (!result && status != SQLITE_DONE) result = query_error(query, NULL, "reading m");
    if (!result) write_point(written);
    sqlite3_finalize(read);
    text_free(&sql);
    return result;
}

static int write_metrics(struct query *query, const struct records *records,
                         struct atomic_files *group)
{
    struct written written = {.columns = 0};
    int result = choose_columns(&written, records);
    if (!result)
        result =
            atomic_files_begin(group, query->run->directory, "metrics.csv", &written.metrics.file);
    if (!result)
        result = atomic_files_begin(group, query->run->directory, "noise.csv", &written.noise.file);
    if (!result) write_headers(&written);
    if (!result) result = write_rows(&written, query);
    free(written.record);
    free(written.value);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int compute_rows(struct query *query, const struct records *records,
                        const struct counter_rows *counters, struct atomic_files *group,
                        int *impossible)
{
    struct metric_table rows = {.count = 0};
    int result = counter_rows_make_repeats(counters, query);
    if (!result) result = point_facts_make_points(query, records);
    if (!result) result = metric_table_begin(&rows, query);
    if (!result) result = counter_rows_make_table(counters, query, "m_counters");
    if (!result) result = metric_table_add(&rows, "m_counters");
    if (!result) result = metric_checks_begin(query);
    if (!result) result = formulas_compute(&rows, records);
    if (!result) result = write_metrics(query, records, group);
    if (!result) result = metric_checks_write(query, group, impossible);
    metric_table_free(&rows);
    return result;
}

static int compute_all(struct query *query, const struct records *records,
                       struct atomic_files *group, int *impossible)
{
    static const enum table_id needed[] = {TABLE_VARIANTS, TABLE_POINTS, TABLE_LAUNCHES,
                                           TABLE_ACCESSES, TABLE_CEILINGS};
    struct point_index points = {.find = NULL};
    struct counter_rows counters = {.count = 0};
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(query, needed[i]);
    if (!result) result = query_make_steps_of(query);
    if (!result) result = point_index_make(&points, query);
    if (!result) result = clean_times_make(query, &points);
    if (!result) result = counter_rows_read(&counters, query, records, &points);
    if (!result) result = kernel_counters_write(query, &counters, &points, group);
    if (!result) result = compute_rows(query, records, &counters, group, impossible);
    counter_rows_free(&counters);
    point_index_free(&points);
    return result;
}

struct evaluation {
    const struct run *run;
    struct records records;
};

/* Files of one half of the run, or of the whole of it. */
static int evaluate_part(void *context, const struct half *half, struct atomic_files *group,
                         int *impossible)
{
    struct evaluation *evaluation = context;
    struct half part = *half;
    struct query query;
    int result = query_open(&query, evaluation->run);
    if (result) return result;
    query.keeps = half_keeps;
    query.keeps_context = &part;
    result = compute_all(&query, &evaluation->records, group, impossible);
    if (!result && !part.split) result = announce_results(&query, &evaluation->records);
    query_close(&query);
    return result;
}

static int compute_metrics(struct run *run)
{
    static const struct half_file files[] = {
        {"metrics.csv", 0}, {"noise.csv", 0}, {"kernel_counters.csv", 1}, {"impossible.csv", 0}};
    struct evaluation evaluation = {.run = run};
    struct atomic_files group = {.count = 0};
    char *split = NULL;
    int result = records_read_own(&evaluation.records);
    if (result) return result;
    result = point_facts_check(&evaluation.records, run);
    if (!result && !nvtx_listening())
        result =
            halves_choose(run, &split); /* who listens must hear of all of it from this process */
    if (!result && split)
        result = halves_write(run, split, files, (int)(sizeof files / sizeof *files), evaluate_part,
                              &evaluation, &group, &run->impossible);
    else if (!result)
        result = evaluate_part(&evaluation, &(struct half){NULL, 0}, &group, &run->impossible);
    result = atomic_files_end(&group, result);
    free(split);
    records_free(&evaluation.records);
    return result;
}

int evaluate_run(struct run *run)
{
    return stage_work(STAGE_EVALUATE, compute_metrics, run);
}
