/*
 * evaluate: from raw tables to metrics. Clean times become medians with intervals, counters become columns, formulas become more columns;
 * all in SQLite. Each repeat of the counters is a row of its own until the end: metrics.csv has the median over the repeats, noise.csv the
 * largest less the smallest. A large run is evaluated in halves (halves.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "announce.h"
#include "expression.h"
#include "facts.h"
#include "halves.h"
#include "impossible.h"
#include "kernel_counters.h"
#include "message.h"
#include "metric_rows.h"
#include "output_group.h"
#include "pipeline.h"
#include "query.h"
#include "query_guard.h"
#include "record.h"
#include "stages.h"
#include "stats.h"
#include "text.h"
#include "timing.h"

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

/* Metrics whose formulas need nothing of each other: one pass over the rows. */
struct batch {
    struct metric_rows *rows;
    const struct record **metric;
    int count;
    int on_ladder;           /* the formulas of one of them need other rungs */
    int number;
};

static int check_batch(const struct batch *batch)
{
    int result = 0;
    for (int i = 0; i < batch->count && !result; i++)
        result = expression_check(batch->rows->query, batch->metric[i], "formula", record_field(batch->metric[i], "formula"), batch->on_ladder ? "ladder" : "m");
    return result;
}

/* All formulas at once; 0 where they ask for too much, or one of them does. */
static int try_batch(const struct batch *batch, const char *name, int *done)
{
    struct text table = {0}, formulas = {0};
    for (int i = 0; i < batch->count; i++) {
        text_format(&table, ", %s REAL", batch->metric[i]->name);
        text_format(&formulas, ", (%s)", record_field(batch->metric[i], "formula"));
    }
    const int result = table.failed || formulas.failed ? error_memory() : 0;
    if (!result)
        *done = query_attempt(batch->rows->query, "CREATE TABLE %s(row_id INTEGER PRIMARY KEY%s); INSERT INTO %s SELECT row_id%s FROM %s", name, text_string(&table),
                              name, text_string(&formulas), batch->on_ladder ? "ladder" : "m");
    text_free(&table);
    text_free(&formulas);
    return result;
}

/* One formula after the other, so that the one that asks for too much can be named. */
static int compute_singly(const struct batch *batch, const char *name)
{
    struct query *query = batch->rows->query;
    int result = query_write(query, "DROP TABLE IF EXISTS %s; CREATE TABLE %s(row_id INTEGER PRIMARY KEY); INSERT INTO %s SELECT row_id FROM m_facts", name, name, name);
    for (int i = 0; i < batch->count && !result; i++) {
        const struct record *metric = batch->metric[i];
        char *place = text_new("%s:%d", metric->file, record_line(metric, "formula"));
        result = place ? query_compute(query, place, "ALTER TABLE %s ADD COLUMN %s REAL; UPDATE %s SET %s = (SELECT (%s) FROM %s WHERE row_id = %s.row_id)", name,
                                       metric->name, name, metric->name, record_field(metric, "formula"), batch->on_ladder ? "ladder" : "m", name)
                       : error_memory();
        free(place);
    }
    return result;
}

/* Those of its metrics that have bounds. */
static int judge_batch(const struct batch *batch)
{
    const struct record **bounded = calloc((size_t)batch->count + 1, sizeof *bounded);
    int count = 0;
    if (!bounded) return error_memory();
    for (int i = 0; i < batch->count; i++)
        if (impossible_is_known(batch->metric[i])) bounded[count++] = batch->metric[i];
    const int result = impossible_judge(batch->rows, bounded, count);
    free(bounded);
    return result;
}

static int add_batch(const struct batch *batch)
{
    char name[32];
    int done = 0, result = 0;
    snprintf(name, sizeof name, "m_%d", batch->number);
    if (batch->on_ladder) result = metric_rows_make_ladder(batch->rows);
    if (!result) result = check_batch(batch);
    if (!result) result = try_batch(batch, name, &done);
    if (!result && interrupted()) result = FAIL_INTERRUPTED;
    if (!result && !done) result = compute_singly(batch, name);
    if (!result) result = metric_rows_add(batch->rows, name);
    for (int i = 0; i < batch->count && !result; i++) result = impossible_follow(batch->rows, batch->metric[i]);
    if (!result) result = judge_batch(batch);
    return result;
}

/* What stands in the way of a step; whether its formula needs other rungs. */
static struct dependency look_at(const struct records *records, const unsigned char *done, const struct record *record)
{
    struct dependency dependency = {records, record, done, -1, 0};
    if (record->kind == RECORD_METRIC) text_identifiers(record_field(record, "formula"), visit_identifier, &dependency);
    impossible_identifiers(record, visit_identifier, &dependency);
    return dependency;
}

/* The metrics that can be computed by now, those that need other rungs or the rest; they are done from here on. */
static void choose_batch(struct batch *batch, const struct records *records, unsigned char *done, int on_ladder)
{
    batch->count = 0;
    batch->on_ladder = on_ladder;
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_METRIC || done[i]) continue;
        const struct dependency dependency = look_at(records, done, record);
        if (dependency.open < 0 && dependency.on_ladder == on_ladder) batch->metric[batch->count++] = record;
    }
    for (int i = 0; i < batch->count; i++) done[batch->metric[i] - records->record] = 1;
}

/* Judges the checks, and the bounds of facts and counters, that can be by now; *judged says how many there were. */
static int judge_ready(struct metric_rows *rows, const struct records *records, unsigned char *done, int *judged)
{
    const struct record **ready = calloc((size_t)records->count + 1, sizeof *ready);
    *judged = 0;
    if (!ready) return error_memory();
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_METRIC || !impossible_is_known(record) || done[i] || look_at(records, done, record).open >= 0) continue;
        ready[(*judged)++] = record;
        done[i] = 1;
    }
    const int result = impossible_judge(rows, ready, *judged);
    free(ready);
    return result;
}

/* The first metric, check or bound that is still to come; NULL when there is none. */
static const struct record *first_open(const struct records *records, const unsigned char *done)
{
    for (int i = 0; i < records->count; i++)
        if ((records->record[i].kind == RECORD_METRIC || impossible_is_known(&records->record[i])) && !done[i]) return &records->record[i];
    return NULL;
}

static int needs_itself(const struct record *record)
{
    return error(FAIL_INPUT, "%s:%d: the %s of '%s' needs itself", record->file, record_line(record, "formula"),
                 record->kind == RECORD_METRIC ? "formula" : record_kind_name(record->kind), record->name);
}

/* In the order in which they need each other; a circle is an error. As many metrics as can be at once: what needs no other rung first. */
static int add_metrics(struct metric_rows *rows, const struct records *records)
{
    unsigned char *done = calloc((size_t)records->count + 1, 1);
    struct batch batch = {.rows = rows, .metric = calloc((size_t)records->count + 1, sizeof *batch.metric)};
    int judged, result = done && batch.metric ? 0 : error_memory();
    const struct record *open;
    while (!result && (open = first_open(records, done))) {
        result = judge_ready(rows, records, done, &judged);
        if (result || judged) continue;
        choose_batch(&batch, records, done, 0);
        if (!batch.count) choose_batch(&batch, records, done, 1);
        if (!batch.count) result = needs_itself(open);
        batch.number++;
        if (!result) result = add_batch(&batch);
    }
    free(batch.metric);
    free(done);
    return result;
}

/* ---- writing ------------------------------------------------------------------------------------------------------------------------------ */

/* The columns of metrics.csv and noise.csv behind their keys, in the order of the file. */
struct written {
    struct csv_writer metrics, noise;
    int columns;
    const struct record **record;    /* of each column */
    double *value;                   /* of the point at hand: all its repeats of one column, then the next; NAN where it is absent */
    int repeats, capacity;
};

static int choose_columns(struct written *written, const struct records *records)
{
    static const enum record_kind order[] = {RECORD_FACT, RECORD_METRIC, RECORD_COUNTER};
    written->record = calloc((size_t)records->count + 1, sizeof *written->record);
    if (!written->record) return error_memory();
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (int i = 0; i < records->count; i++)
            if (records->record[i].kind == order[k]) written->record[written->columns++] = &records->record[i];
    return 0;
}

enum { KEYS = 5, BEST = KEYS, POINT_ID, FIRST_VALUE };   /* columns of the statement that reads m */

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
        if (written->record[i]->kind != RECORD_FACT) csv_text(&written->noise, written->record[i]->name);
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
            for (int k = 0; k < written->repeats; k++) value[i * capacity + k] = written->value[i * written->capacity + k];
        free(written->value);
        written->value = value;
        written->capacity = capacity;
    }
    for (int i = 0; i < written->columns; i++) {
        const int is_null = sqlite3_column_type(read, FIRST_VALUE + i) == SQLITE_NULL;
        written->value[i * written->capacity + written->repeats] = is_null ? NAN : sqlite3_column_double(read, FIRST_VALUE + i);
    }
    written->repeats++;
    return 0;
}

/* The median over the repeats of a point, and how far they are apart where there are two or more. */
static void write_point(struct written *written)
{
    for (int i = 0; i < written->columns && written->repeats > 0; i++) {
        double *value = written->value + i * written->capacity;
        size_t known = 0;
        for (int k = 0; k < written->repeats; k++)
            if (!isnan(value[k])) value[known++] = value[k];
        stats_sort(value, known);
        csv_number(&written->metrics, stats_quantile(value, known, 0.5));
        if (written->record[i]->kind != RECORD_FACT) csv_number(&written->noise, known > 1 ? value[known - 1] - value[0] : NAN);
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
    int status = SQLITE_DONE, result = query_write(query, "CREATE TABLE m_order(place INTEGER PRIMARY KEY, row_id INTEGER); INSERT INTO m_order(row_id) SELECT row_id"
                                                          " FROM m_facts ORDER BY family, variant, size, block, sweep, repeat");
    text_append(&sql, "SELECT m.family, m.variant, m.size, m.block, m.sweep, m.best, m.point");
    for (int i = 0; i < written->columns; i++) text_format(&sql, ", m.%s", written->record[i]->name);
    text_append(&sql, " FROM m_order o CROSS JOIN m ON m.row_id = o.row_id ORDER BY o.place");
    if (!result) result = sql.failed ? error_memory() : query_prepare_write(query, text_string(&sql), &read);
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

static int write_metrics(struct query *query, const struct records *records, struct output_group *group)
{
    struct written written = {.columns = 0};
    int result = choose_columns(&written, records);
    if (!result) result = output_group_begin(group, query->run->directory, "metrics.csv", &written.metrics.file);
    if (!result) result = output_group_begin(group, query->run->directory, "noise.csv", &written.noise.file);
    if (!result) write_headers(&written);
    if (!result) result = write_rows(&written, query);
    free(written.record);
    free(written.value);
    return result;
}

/* ---- all -------------------------------------------------------------------------------------------------------------------------------------- */

static int compute_rows(struct query *query, const struct records *records, const struct counter_rows *counters, struct output_group *group, int *impossible)
{
    struct metric_rows rows = {.count = 0};
    int result = counter_rows_make_repeats(counters, query);
    if (!result) result = facts_make_points(query, records);
    if (!result) result = metric_rows_begin(&rows, query);
    if (!result) result = counter_rows_make_table(counters, query, "m_counters");
    if (!result) result = metric_rows_add(&rows, "m_counters");
    if (!result) result = impossible_begin(query);
    if (!result) result = add_metrics(&rows, records);
    if (!result) result = write_metrics(query, records, group);
    if (!result) result = impossible_write(query, group, impossible);
    metric_rows_free(&rows);
    return result;
}

static int compute_all(struct query *query, const struct records *records, struct output_group *group, int *impossible)
{
    static const enum table_id needed[] = {TABLE_VARIANTS, TABLE_POINTS, TABLE_LAUNCHES, TABLE_ACCESSES, TABLE_CEILINGS};
    struct point_index points = {.count = 0};
    struct counter_rows counters = {.count = 0};
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++) result = query_load(query, needed[i]);
    if (!result) result = query_make_steps_of(query);
    if (!result) result = point_index_make(&points, query);
    if (!result) result = timing_make(query, &points);
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
static int evaluate_part(void *context, const struct half *half, struct output_group *group, int *impossible)
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
    static const struct half_file files[] = {{"metrics.csv", 0}, {"noise.csv", 0}, {"kernel_counters.csv", 1}, {"impossible.csv", 0}};
    struct evaluation evaluation = {.run = run};
    struct output_group group = {.count = 0};
    char *split = NULL;
    int result = records_read_own(&evaluation.records);
    if (result) return result;
    result = facts_check(&evaluation.records, run);
    if (!result && !annotate_listening()) result = halves_choose(run, &split); /* who listens must hear of all of it from this process */
    if (!result && split)
        result = halves_write(run, split, files, (int)(sizeof files / sizeof *files), evaluate_part, &evaluation, &group, &run->impossible);
    else if (!result)
        result = evaluate_part(&evaluation, &(struct half){NULL, 0}, &group, &run->impossible);
    result = output_group_end(&group, result);
    free(split);
    records_free(&evaluation.records);
    return result;
}

int evaluate_run(struct run *run)
{
    return stage_work(STAGE_EVALUATE, compute_metrics, run);
}
