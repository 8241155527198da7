/*
 * Evaluates a run in SQLite: clean times become medians with intervals, counters become columns,
 * and formulas add more columns. Each repeat of the counters is a row of its own until the end:
 * metrics.csv has the median over the repeats, noise.csv the largest less the smallest.
 */
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
#include "run/run_stages.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes a file with a row per point and a column per record, in the order of their kinds. */
static int write_points(struct query *query, const struct records *records, int is_noise,
                        struct atomic_files *group)
{
    static const enum record_kind order[] = {RECORD_FACT, RECORD_METRIC, RECORD_COUNTER};
    struct text sql = {0};
    FILE *file;
    text_append(&sql,
                is_noise ? "SELECT " POINT_KEY_OF("m.") : "SELECT " POINT_KEY_OF("m.") ", m.best");
    for (size_t k = is_noise; k < sizeof order / sizeof *order; k++)
        for (int i = 0; i < records->count; i++) {
            const char *name = records->record[i].name;
            if (records->record[i].kind != order[k]) continue;
            if (is_noise && order[k] == RECORD_COUNTER)
                text_format(&sql,
                            ", CASE WHEN count(m.%s) > 1 AND NOT EXISTS (SELECT 1 FROM "
                            "collected_once o WHERE o.point = m.point AND o.id = %d) "
                            "THEN max(m.%s) - min(m.%s) END AS %s",
                            name, i, name, name, name);
            else if (is_noise)
                text_format(&sql,
                            ", CASE WHEN count(m.%s) > 1 THEN max(m.%s) - min(m.%s) END AS %s",
                            name, name, name, name);
            else
                text_format(&sql, ", median(m.%s) AS %s", name, name);
        }
    text_append(&sql, " FROM m GROUP BY " POINT_KEY_OF("m.") ", m.point");
    int result = atomic_files_begin(group, query->run->directory,
                                    is_noise ? "noise.csv" : "metrics.csv", &file);
    if (!result && sql.failed) result = error_memory();
    if (!result) result = query_csv(query, NULL, text_string(&sql), NULL, file);
    text_free(&sql);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int compute_rows(struct query *query, const struct records *records,
                        struct atomic_files *group, int *impossible)
{
    struct metric_table rows = {.count = 0};
    int result = point_facts_make(query, records);
    if (!result) result = metric_table_begin(&rows, query);
    if (!result) result = counter_rows_make_table(query, records, "m_counters");
    if (!result) result = metric_table_add(&rows, "m_counters");
    if (!result) result = metric_checks_begin(query);
    if (!result) result = metric_formulas_compute(&rows, records);
    if (!result) result = write_points(query, records, 0, group);
    if (!result) result = write_points(query, records, 1, group);
    if (!result) result = metric_checks_write(query, group, impossible);
    metric_table_free(&rows);
    return result;
}

/* Keeps the instructions that access shared memory. */
static int keeps_shared(void *context, const struct table_rows *row)
{
    const int at = table_rows_find(row, "shared_wavefronts");
    (void)context;
    return at >= 0 && *row->reader.cell[at] && strcmp(row->reader.cell[at], "0");
}

static int compute_all(struct query *query, const struct records *records,
                       struct atomic_files *group, int *impossible)
{
    static const enum table_id needed[] = {TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS,
                                           TABLE_LAUNCHES, TABLE_ACCESSES, TABLE_CEILINGS,
                                           TABLE_POWER};
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(query, needed[i]);
    if (!result) result = query_make_steps_of(query);
    if (!result) result = clean_times_make(query);
    if (!result) result = counter_rows_load(query, records);
    if (!result) result = counter_rows_write_kernels(query, records, group);
    if (!result) result = query_load_some(query, TABLE_LINES, keeps_shared, NULL);
    return result ? result : compute_rows(query, records, group, impossible);
}

/* The tables of explain_run belong to the metrics that are replaced: if it does not follow, the run
 * has none, not those of another evaluation. */
static int remove_explained(const struct run *run)
{
    int result = 0;
    for (enum table_id id = TABLE_STEPS; id < TABLE_CHARTS && !result; id++) {
        char name[80];
        snprintf(name, sizeof name, "%s.csv", tables[id].name);
        result = directory_remove(path_in(run->directory, name).at);
    }
    return result;
}

static int compute_metrics(struct run *run)
{
    struct records records;
    struct query query;
    struct atomic_files group = {.count = 0};
    int result = records_read_own(&records);
    if (result) return result;
    result = query_open(&query, run);
    if (!result) {
        result = compute_all(&query, &records, &group, &run->impossible);
        if (!result) result = nvtx_results_announce(&query, &records);
        query_close(&query);
    }
    if (!result) result = remove_explained(run);
    result = atomic_files_end(&group, result);
    records_free(&records);
    return result;
}

int evaluate_run(struct run *run)
{
    return stage_work(STAGE_EVALUATE, compute_metrics, run);
}
