/*
 * Evaluates a run in SQLite: clean times become medians with intervals, counters become columns,
 * and formulas add more columns. Each repeat of the counters is a row of its own until the end:
 * metrics.csv has the median over the repeats, noise.csv the largest less the smallest.
 */
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "catalog/records.h"
#include "evaluate/clean_times.h"
#include "evaluate/counter_rows.h"
#include "evaluate/evaluate.h"
#include "evaluate/metric_checks.h"
#include "evaluate/metric_formulas.h"
#include "evaluate/metric_table.h"
#include "evaluate/nvtx_results.h"
#include "evaluate/point_facts.h"
#include "query/query.h"
#include "run/evaluation.h"
#include "run/run_stages.h"

/* ---- tables ---------------------------------------------------------------------------------- */

/* Makes a table with a row per point and a column per record, in the order of their kinds, of the
 * numbers that its file has: an explanation is the same whether it reads the file or the table. */
static int make_points(struct query *query, const struct records *records, int is_noise)
{
    static const enum record_kind order[] = {RECORD_FACT, RECORD_METRIC, RECORD_COUNTER};
    struct text sql = {0};
    text_append(&sql, is_noise ? "CREATE TABLE noise AS SELECT " POINT_KEY_OF("m.")
                               : "CREATE TABLE metrics AS SELECT " POINT_KEY_OF("m.") ", m.best");
    for (size_t k = is_noise; k < sizeof order / sizeof *order; k++)
        for (int i = 0; i < records->count; i++) {
            const char *name = records->record[i].name;
            if (records->record[i].kind != order[k]) continue;
            if (is_noise && order[k] == RECORD_COUNTER)
                text_format(&sql,
                            ", CASE WHEN NOT EXISTS (SELECT 1 FROM collected_once o WHERE o.point "
                            "= m.point AND o.id = %d) THEN written_spread(m.%s) END AS %s",
                            i, name, name);
            else
                text_format(&sql, ", written_%s(m.%s) AS %s", is_noise ? "spread" : "median", name,
                            name);
        }
    text_append(&sql, " FROM m GROUP BY " POINT_KEY_OF("m.") ", m.point");
    return query_script(query, &sql);
}

static int compute_rows(struct query *query, const struct records *records)
{
    struct metric_table rows = {.count = 0};
    int result = point_facts_make(query, records);
    if (!result) result = metric_table_begin(&rows, query);
    if (!result) result = counter_rows_make_table(query, records, "m_counters");
    if (!result) result = metric_table_add(&rows, "m_counters");
    if (!result) result = metric_checks_begin(query);
    if (!result) result = metric_formulas_compute(&rows, records);
    if (!result) result = make_points(query, records, 0);
    if (!result) result = make_points(query, records, 1);
    metric_table_free(&rows);
    return result ? result : query_write(query, "DROP VIEW IF EXISTS ladder");
}

int evaluate_begin(struct query *query)
{
    if (query_has_column(query, "best_points", NULL)) return 0;
    int result = QUERY_LOAD(query, TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS, TABLE_LAUNCHES,
                            TABLE_ACCESSES, TABLE_ACTIVITIES, TABLE_CEILINGS, TABLE_POWER,
                            TABLE_KERNELS, TABLE_LINES, TABLE_TRACES, TABLE_COUNTERS);
    if (!result) result = query_make_steps_of(query);
    return result ? result : clean_times_make(query);
}

int evaluate_make(struct query *query, const struct records *records)
{
    int result = evaluate_begin(query);
    if (!result) result = counter_rows_load(query, records);
    return result ? result : compute_rows(query, records);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The tables of explain_run belong to the metrics that are replaced: if it does not follow, the run
 * has none, not those of another evaluation. */
static int remove_explained(const struct run *run)
{
    int result = 0;
    for (enum table_id id = TABLE_STEPS; id < TABLE_CHARTS && !result; id++)
        result = directory_remove(table_path(run->directory, id).at);
    return result;
}

static int write(struct query *query, const struct records *records, struct run *run)
{
    static const enum table_id made[] = {TABLE_METRICS, TABLE_NOISE, TABLE_EVALUATION, TABLE_COUNT};
    struct atomic_files group = {.count = 0};
    char *build = evaluation_build();
    int result = build ? query_write(query, "CREATE TABLE evaluation AS SELECT %Q AS build", build)
                       : FAIL_INPUT;
    free(build);
    if (!result) result = counter_rows_write_kernels(query, records, &group);
    if (!result) result = query_write_files(query, made, &group);
    if (!result) result = metric_checks_write(query, &group);
    if (!result) result = metric_checks_count(query, &run->impossible);
    if (!result) result = nvtx_results_announce(query, records);
    if (!result) result = remove_explained(run);
    return atomic_files_end(&group, result);
}

int evaluate_query(struct query *query, const struct records *records, struct run *run)
{
    struct stage stage;
    int result = stage_begin(&stage, NULL, STAGE_EVALUATE, NULL);
    if (!result) result = evaluate_make(query, records);
    if (!result) result = write(query, records, run);
    return stage_end(&stage, result);
}

int evaluate_run(struct run *run)
{
    struct records records;
    struct query query;
    int result = records_read_own(&records);
    if (result) return result;
    result = query_open(&query, run);
    if (!result) result = evaluate_query(&query, &records, run);
    query_close(&query);
    records_free(&records);
    return result;
}
