#include "evaluate/metric_formulas.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "evaluate/metric_checks.h"
#include "query/query.h"

struct dependency {
    const struct records *records;
    const struct record *record;
    const unsigned char *done;
    int open;      /* the index of a record that must come first, or -1 */
    int on_ladder; /* uses prev_ or first_ */
};

/* Whether `record` must come before `later`, which uses the name: it computes this column or may
 * empty it. Checks do not wait for each other. */
static int must_precede(const struct record *record, const struct record *later, const char *name,
                        size_t length)
{
    if (record->kind == RECORD_METRIC)
        return strlen(record->name) == length && !strncmp(record->name, name, length);
    const int waits = later->kind == RECORD_METRIC ||
                      (later->kind == RECORD_CHECK && record->kind != RECORD_CHECK);
    return waits && metric_checks_empties(record, name, length);
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
        if (!dependency->done[i] && must_precede(record, dependency->record, name, length))
            dependency->open = i;
    }
}

/* Metrics whose formulas do not need each other, computed in one pass over the rows. */
struct batch {
    struct metric_table *rows;
    const struct record **metric;
    int count;
    int on_ladder; /* one of the formulas needs other rungs */
    int number;
};

static int check_batch(const struct batch *batch)
{
    int result = 0;
    for (int i = 0; i < batch->count && !result; i++)
        result = expression_check(batch->rows->query, batch->metric[i], "formula",
                                  record_field(batch->metric[i], "formula"),
                                  batch->on_ladder ? "ladder" : "m");
    return result;
}

/* Computes all formulas at once; *done is 0 if they exceed the limits (query/query_guard.h). */
static int try_batch(const struct batch *batch, const char *name, int *done)
{
    struct text table = {0}, formulas = {0};
    for (int i = 0; i < batch->count; i++) {
        text_format(&table, ", %s REAL", batch->metric[i]->name);
        text_format(&formulas, ", (%s)", record_field(batch->metric[i], "formula"));
    }
    const int result = table.failed || formulas.failed ? error_memory() : 0;
    if (!result)
        *done = query_attempt(
            batch->rows->query,
            "CREATE TABLE %s(row_id INTEGER PRIMARY KEY%s); INSERT INTO %s SELECT row_id%s FROM %s",
            name, text_string(&table), name, text_string(&formulas),
            batch->on_ladder ? "ladder" : "m");
    text_free(&table);
    text_free(&formulas);
    return result;
}

/* Computes one formula after the other, so that the one beyond the limits can be named. */
static int compute_singly(const struct batch *batch, const char *name)
{
    struct query *query = batch->rows->query;
    int result = query_write(query,
                             "DROP TABLE IF EXISTS %s; CREATE TABLE %s(row_id INTEGER PRIMARY "
                             "KEY); INSERT INTO %s SELECT row_id FROM m_facts",
                             name, name, name);
    for (int i = 0; i < batch->count && !result; i++) {
        const struct record *metric = batch->metric[i];
        char *location = text_new("%s:%d", metric->file, record_line(metric, "formula"));
        result = location ? query_compute(query, location,
                                          "ALTER TABLE %s ADD COLUMN %s REAL; UPDATE %s SET %s = "
                                          "(SELECT (%s) FROM %s WHERE row_id = %s.row_id)",
                                          name, metric->name, name, metric->name,
                                          record_field(metric, "formula"),
                                          batch->on_ladder ? "ladder" : "m", name)
                          : error_memory();
        free(location);
    }
    return result;
}

static int judge_batch(const struct batch *batch)
{
    const struct record **bounded = calloc((size_t)batch->count + 1, sizeof *bounded);
    int count = 0;
    if (!bounded) return error_memory();
    for (int i = 0; i < batch->count; i++)
        if (metric_checks_is_known(batch->metric[i])) bounded[count++] = batch->metric[i];
    const int result = metric_checks_judge(batch->rows, bounded, count);
    free(bounded);
    return result;
}

static int add_batch(const struct batch *batch)
{
    char name[32];
    int done = 0, result = 0;
    snprintf(name, sizeof name, "m_%d", batch->number);
    if (batch->on_ladder) result = metric_table_make_ladder(batch->rows);
    if (!result) result = check_batch(batch);
    if (!result) result = try_batch(batch, name, &done);
    if (!result && interrupted()) result = FAIL_INTERRUPTED;
    if (!result && !done) result = compute_singly(batch, name);
    if (!result) result = metric_table_add(batch->rows, name);
    for (int i = 0; i < batch->count && !result; i++)
        result = metric_checks_follow(batch->rows, batch->metric[i]);
    if (!result) result = judge_batch(batch);
    return result;
}

/* Finds a record that must come first, and whether the formula needs other rungs. */
static struct dependency look_at(const struct records *records, const unsigned char *done,
                                 const struct record *record)
{
    struct dependency dependency = {records, record, done, -1, 0};
    if (record->kind == RECORD_METRIC)
        text_identifiers(record_field(record, "formula"), visit_identifier, &dependency);
    metric_checks_identifiers(record, visit_identifier, &dependency);
    return dependency;
}

/* Chooses the metrics that can be computed now, of those that need other rungs or of the rest, and
 * marks them as done. */
static void choose_batch(struct batch *batch, const struct records *records, unsigned char *done,
                         int on_ladder)
{
    batch->count = 0;
    batch->on_ladder = on_ladder;
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_METRIC || done[i]) continue;
        const struct dependency dependency = look_at(records, done, record);
        if (dependency.open < 0 && dependency.on_ladder == on_ladder)
            batch->metric[batch->count++] = record;
    }
    for (int i = 0; i < batch->count; i++) done[batch->metric[i] - records->record] = 1;
}

/* Judges the checks, and the bounds of facts and counters, whose columns are all there; *judged is
 * their number. */
static int judge_ready(struct metric_table *rows, const struct records *records,
                       unsigned char *done, int *judged)
{
    const struct record **ready = calloc((size_t)records->count + 1, sizeof *ready);
    *judged = 0;
    if (!ready) return error_memory();
    for (int i = 0; i < records->count; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_METRIC || !metric_checks_is_known(record) || done[i] ||
            look_at(records, done, record).open >= 0)
            continue;
        ready[(*judged)++] = record;
        done[i] = 1;
    }
    const int result = metric_checks_judge(rows, ready, *judged);
    free(ready);
    return result;
}

/* Returns the first metric, check or bound that is left, or NULL. */
static const struct record *first_open(const struct records *records, const unsigned char *done)
{
    for (int i = 0; i < records->count; i++)
        if ((records->record[i].kind == RECORD_METRIC ||
             metric_checks_is_known(&records->record[i])) &&
            !done[i])
            return &records->record[i];
    return NULL;
}

static int needs_itself(const struct record *record)
{
    return error(FAIL_INPUT, "%s:%d: the %s of '%s' depends on itself", record->file,
                 record_line(record, "formula"),
                 record->kind == RECORD_METRIC ? "formula" : record_kind_name(record->kind),
                 record->name);
}

int metric_formulas_compute(struct metric_table *rows, const struct records *records)
{
    unsigned char *done = calloc((size_t)records->count + 1, 1);
    struct batch batch = {.rows = rows,
                          .metric = calloc((size_t)records->count + 1, sizeof *batch.metric)};
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
