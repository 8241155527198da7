/*
 * Makes one table after another: the speed-up of every step with its evidence, and the published
 * one (steps.sql), the tables of explain/explain_tables.h, the cycle ledger, the causes of each
 * change and what remains to be gained (explain/cycle_ledger.h, causes.h, estimates.sql), the time
 * that each resource needs alone (resource_demands.sql), the worth of each factor of a grid
 * (ablation.sql), and the fastest rung over the library at each size (shape_map.sql).
 */
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "catalog/point_key.h"
#include "catalog/records.h"
#include "explain/ablation.sql.h"
#include "explain/causes.h"
#include "explain/conflicts.h"
#include "explain/cycle_ledger.h"
#include "explain/estimates.sql.h"
#include "explain/explain.h"
#include "explain/explain_tables.h"
#include "explain/resource_demands.sql.h"
#include "explain/shape_map.sql.h"
#include "explain/steps.sql.h"
#include "lines/lines_tables.h"
#include "query/published_here.sql.h"
#include "query/query.h"
#include "query/track_values.h"
#include "run/run_stages.h"

struct explanation {
    struct run *run;
    struct query query;
    struct records records;
    struct atomic_files group; /* all files of this stage appear together */
};

static int load(struct query *query, const enum table_id *table, int count)
{
    int result = 0;
    for (int i = 0; i < count && !result; i++) result = query_load(query, table[i]);
    return result;
}

static int make_ledger(struct explanation *explanation)
{
    struct query *query = &explanation->query;
    const struct records *records = &explanation->records;
    int impossible = 0, result = lines_tables_sum_opcodes(query);
    if (!result) result = lines_tables_impossible(query, &impossible);
    explanation->run->impossible += impossible;
    if (!result) result = ledger_make(query, records);
    if (!result) result = causes_levels(query, records);
    if (!result) result = causes_lines(query);
    if (!result) result = sides_make(query, records);
    if (!result) result = causes_make(query, records);
    if (!result) result = query_write(query, "%s", estimates_sql);
    return result ? result : conflicts_make(query);
}

/* The samples are many: they are loaded only for a family with factors. */
static int make_ablation(struct query *query)
{
    static const char none[] =
        "CREATE TABLE samples(" POINT_KEY ", l2, kind, copy, round, time_ns, status)";
    char *any = NULL;
    int result = query_text(query, NULL, "SELECT 1 FROM variants WHERE factors IS NOT NULL LIMIT 1",
                            NULL, &any);
    if (!result) result = any ? query_load(query, TABLE_SAMPLES) : query_write(query, "%s", none);
    free(any);
    return result ? result : query_write(query, "%s", ablation_sql);
}

static int make_demands(struct query *query, const struct records *records)
{
    static const char sql[] = "INSERT INTO demand SELECT " POINT_KEY ", "
                              "time_ns, '%.*s', %s FROM metrics WHERE best = 1";
    enum { BEFORE = sizeof "demand_" - 1, AROUND = sizeof "demand__ns" - 1 };
    int result = query_write(query, "CREATE TABLE demand(" POINT_KEY ", "
                                    "time_ns, resource TEXT, ns)");
    for (int i = 0; i < records->count && !result; i++) {
        const char *name = records->record[i].name;
        if (records->record[i].kind == RECORD_METRIC && text_matches("demand_?*_ns", name))
            result = query_write(query, sql, (int)strlen(name) - AROUND, name + BEFORE, name);
    }
    return result ? result : query_write(query, "%s", resource_demands_sql);
}

/* Reports counters over time with impossible values. */
static int check_samples(struct explanation *explanation)
{
    static const enum table_id needed[] = {TABLE_TRACES, TABLE_TRACE_SAMPLES};
    struct query *query = &explanation->query;
    int impossible = 0, result = load(query, needed, 2);
    if (!result) result = track_values_make(query, &explanation->records);
    if (!result) result = track_values_impossible(query, &impossible);
    explanation->run->impossible += impossible;
    return result;
}

/* The records of a run may lack the metrics of libraries: they are unknown then. */
static int make_shape_map(struct query *query)
{
    static const char *const columns[] = {"speedup_library", "speedup_library_low",
                                          "speedup_library_high"};
    const int result =
        query_add_columns(query, "metrics", columns, sizeof columns / sizeof *columns);
    return result ? result : query_write(query, "%s", shape_map_sql);
}

static int make_tables(struct explanation *explanation)
{
    struct query *query = &explanation->query;
    const struct records *records = &explanation->records;
    struct atomic_files *group = &explanation->group;
    int result = query_write(query, "%s", published_here_sql);
    if (!result) result = query_write(query, "%s", steps_sql);
    if (!result) result = verdicts_write(query, records, group);
    if (!result) result = moved_make(query, records);
    if (!result) result = make_ledger(explanation);
    if (!result) result = make_ablation(query);
    if (!result) result = make_demands(query, records);
    if (!result) result = check_samples(explanation);
    return result ? result : make_shape_map(query);
}

/* Writes the tables that were made in the database, each into the file of its name. */
static int write_tables(struct explanation *explanation)
{
    static const char *const made[] = {
        "steps",     "published_steps", "moved",     "ledger", "levels",
        "causes",    "remains",         "demands",   "said",   "cause_lines",
        "conflicts", "conflict_lines",  "shape_map", "sides",  "ablation"};
    int result = 0;
    for (size_t i = 0; i < sizeof made / sizeof *made && !result; i++) {
        FILE *file;
        char *name = text_new("%s.csv", made[i]), *sql = text_new("SELECT * FROM %s", made[i]);
        result = name && sql ? atomic_files_begin(&explanation->group, explanation->run->directory,
                                                  name, &file)
                             : error_memory();
        if (!result) result = query_csv(&explanation->query, NULL, sql, NULL, file);
        free(name);
        free(sql);
    }
    return result;
}

static int compute_tables(struct run *run)
{
    static const enum table_id needed[] = {TABLE_FAMILIES,  TABLE_VARIANTS,     TABLE_CLAIMS,
                                           TABLE_PUBLISHED, TABLE_POINTS,       TABLE_METRICS,
                                           TABLE_NOISE,     TABLE_CEILINGS,     TABLE_IMPOSSIBLE,
                                           TABLE_SOURCES,   TABLE_SOURCE_FILES, TABLE_ACCESSES};
    struct explanation explanation = {.run = run};
    struct query *query = &explanation.query;
    int result = records_read_own(&explanation.records);
    if (result) return result;
    result = query_open(query, run);
    if (!result) {
        result = load(query, needed, sizeof needed / sizeof *needed);
        if (!result) result = query_make_sizes(query);
        if (!result) result = query_make_ladder(query, "metrics");
        if (!result) result = make_tables(&explanation);
        if (!result) result = write_tables(&explanation);
        result = atomic_files_end(&explanation.group, result);
        query_close(query);
    }
    records_free(&explanation.records);
    return result;
}

int explain_run(struct run *run)
{
    return stage_work(STAGE_EXPLAIN, compute_tables, run);
}
