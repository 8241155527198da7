/*
 * Makes one table after another: the speed-up of every step with its evidence, and the published
 * one (steps.sql), the tables of explain/explain_tables.h, the cycle ledger, the causes of each
 * change and what remains to be gained (explain/cycle_ledger.h, causes.h, estimates.sql), the time
 * that each resource needs alone (resource_demands.sql), the worth of each factor of a grid
 * (ablation.sql), and the fastest rung over the library at each size (shape_map.sql).
 */
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/process.h"
#include "catalog/point_key.h"
#include "evaluate/evaluate.h"
#include "evaluate/metric_checks.h"
#include "explain/ablation.sql.h"
#include "explain/account_sentence.h"
#include "explain/causes.h"
#include "explain/conflicts.h"
#include "explain/cycle_ledger.h"
#include "explain/estimates.sql.h"
#include "explain/explain_tables.h"
#include "explain/resource_demands.sql.h"
#include "explain/shape_map.sql.h"
#include "explain/sides.h"
#include "explain/steps.sql.h"
#include "lines/knockouts.h"
#include "lines/lines_tables.h"
#include "lines/wait_charges.h"
#include "query/published_here.sql.h"
#include "query/track_values.h"
#include "run/evaluation.h"
#include "run/nvtx.h"
#include "run/run_stages.h"

/* ---- what a question needs ------------------------------------------------------------------- */

static int make_steps(struct query *query)
{
    int result =
        QUERY_LOAD(query, TABLE_FAMILIES, TABLE_VARIANTS, TABLE_PUBLISHED, TABLE_POINTS,
                   TABLE_METRICS, TABLE_NOISE, TABLE_IMPOSSIBLE, TABLE_CEILINGS, TABLE_SOURCES);
    if (!result) result = query_make_sizes(query);
    if (!result) result = query_make_ladder(query);
    return result ? result : query_write(query, "%s %s", published_here_sql, steps_sql);
}

/* Makes the tables of instructions of the best settings: no other point has a ledger. */
static int make_lines(struct query *query)
{
    static const char best[] = "SELECT kernel FROM kernels JOIN points p USING (" POINT_KEY
                               ") WHERE +p.rowid IN (SELECT point FROM best_points)";
    const int result = lines_tables_sum_opcodes(query, best);
    return result ? result : wait_charges_make(query);
}

/* Needs the lines. */
static int make_causes(struct query *query, const struct records *records)
{
    int result = ledger_make(query, records);
    if (!result) result = causes_levels(query, records);
    if (!result) result = causes_lines(query);
    if (!result) result = sides_make(query, records);
    if (!result) result = knockouts_take(query);
    if (!result) result = causes_make(query, records);
    return result ? result : query_write(query, "%s", estimates_sql);
}

/* ---- the rest -------------------------------------------------------------------------------- */

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
static int check_samples(struct query *query, const struct records *records, int *impossible)
{
    int result = QUERY_LOAD(query, TABLE_TRACES, TABLE_TRACE_SAMPLES);
    if (!result) result = track_values_make(query, records);
    return result ? result : track_values_impossible(query, impossible);
}

/* The measured cost of one kernel beside the estimated one, unless both are noise; or why none of
 * its costs was measured. */
static const char level_sql[] =
    "INSERT INTO experiments SELECT " POINT_KEY ", NULL, 0, knockout, title, cause, time_ns, NULL, "
    "saved_ns, saved_ns, estimated_ns, iif(saved_ns >= " SAID_NOISE " * time_ns, estimated_ns / "
    "saved_ns, NULL), NULL, NULL, NULL, 0 FROM estimate JOIN knockout_kinds USING (cause) JOIN "
    "metrics "
    "USING (" POINT_KEY ") WHERE bound = 'measured' AND max(saved_ns, estimated_ns) >= " SAID_NOISE
    " * time_ns UNION ALL SELECT " POINT_KEY
    ", NULL, 0, 'nothing', 'nothing', NULL, time_ns, NULL, NULL, NULL, NULL, NULL, NULL, reason, "
    "NULL, 0 FROM unmeasured JOIN metrics USING (" POINT_KEY ")";

static int make_tables(struct query *query, const struct records *records,
                       struct atomic_files *group, struct run *run)
{
    int lines = 0, samples = 0, result = make_steps(query);
    if (!result) result = metric_checks_count(query, &run->impossible);
    if (!result)
        result = QUERY_LOAD(query, TABLE_CLAIMS, TABLE_SOURCE_FILES, TABLE_ACCESSES, TABLE_SAMPLES);
    if (!result) result = verdicts_write(query, records, group);
    if (!result) result = moved_make(query, records);
    if (!result) result = lines_tables_impossible(query, &lines);
    if (!result) result = make_causes(query, records);
    if (!result) result = causes_said(query);
    if (!result) result = query_write(query, "%s", level_sql);
    if (!result) result = conflicts_make(query);
    if (!result) result = query_write(query, "%s", ablation_sql);
    if (!result) result = make_demands(query, records);
    if (!result) result = check_samples(query, records, &samples);
    run->impossible += lines + samples;
    if (!result) result = query_make_library_ratios(query);
    return result ? result : query_write(query, "%s", shape_map_sql);
}

/* ---- all ------------------------------------------------------------------------------------- */

struct evaluation {
    struct query *query;
    const struct records *records;
    struct run *run;
};

static int evaluate(void *context)
{
    const struct evaluation *evaluation = context;
    return evaluate_query(evaluation->query, evaluation->records, evaluation->run);
}

/* Evaluates the run, while this process makes of the raw tables what the explanation needs. Then
 * the metrics are in their files alone. A tool hears by NVTX of this process only. */
static int evaluate_beside(struct query *query, const struct records *records, struct run *run)
{
    struct evaluation evaluation = {query, records, run};
    struct process process = {0};
    const int is_heard = nvtx_listening();
    int result = is_heard ? evaluate(&evaluation) : evaluate_begin(query);
    if (!result && !is_heard) result = process_fork(&process, evaluate, &evaluation);
    if (result) return result;
    int prepared = make_lines(query);
    if (!prepared) prepared = QUERY_LOAD(query, TABLE_TRACES, TABLE_TRACE_SAMPLES);
    result = process_join(&process);
    return result ? result : prepared;
}

/* Explains the run of a database, which may have the tables of evaluate, and writes the files. */
static int explain_query(struct query *query, const struct records *records, struct run *run)
{
    static const enum table_id made[] = {
        TABLE_STEPS,     TABLE_PUBLISHED_STEPS, TABLE_MOVED,     TABLE_LEDGER,
        TABLE_LEVELS,    TABLE_CAUSES,          TABLE_REMAINS,   TABLE_DEMANDS,
        TABLE_SAID,      TABLE_CAUSE_LINES,     TABLE_CONFLICTS, TABLE_CONFLICT_LINES,
        TABLE_SHAPE_MAP, TABLE_SIDES,           TABLE_ABLATION,  TABLE_EXPERIMENTS,
        TABLE_COUNT};
    struct atomic_files group = {.count = 0}; /* all files of this stage appear together */
    struct stage stage;
    int result = stage_begin(&stage, NULL, STAGE_EXPLAIN, NULL);
    if (!result) result = make_tables(query, records, &group, run);
    if (!result) result = query_write_files(query, made, &group);
    return stage_end(&stage, atomic_files_end(&group, result));
}

typedef int stage_function(struct query *query, const struct records *records, struct run *run);

static int do_stage(stage_function *work, const char *name, struct query *query,
                    const struct records *records, struct run *run, int is_quiet)
{
    progress_next(1, name);
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    if (!is_quiet) message_level_set(level);
    const int result = work(query, records, run);
    message_level_set(level);
    return !result && interrupted() ? FAIL_INTERRUPTED : result;
}

int explain_run(struct run *run, int is_quiet)
{
    struct records records;
    struct query query;
    int result = records_read_own(&records);
    if (result) return result;
    result = query_open(&query, run);
    if (!result)
        result = do_stage(evaluate_beside, STAGE_EVALUATE, &query, &records, run, is_quiet);
    if (!result) result = do_stage(explain_query, STAGE_EXPLAIN, &query, &records, run, is_quiet);
    query_close(&query);
    records_free(&records);
    return result;
}

int explain_is_done(const struct run *run)
{
    return !evaluation_lacks(run->directory) &&
           file_exists(table_path(run->directory, TABLE_LEDGER).at);
}

/* ---- a part ---------------------------------------------------------------------------------- */

/* Which rows a question needs. */
struct wanted {
    const char *family, *size; /* NULL: all */
    char *lines_size;          /* of the family, or NULL */
    struct string_set kernels; /* whose lines are wanted */
};

static int keeps(void *context, const struct table_rows *row)
{
    struct wanted *wanted = context;
    const char *const kernel = row->reader.cell[0];
    const int family = table_rows_find(row, "family");
    if (row->table == &tables[TABLE_LINES]) return string_set_has(&wanted->kernels, &kernel, 1);
    /* Published times name other families, and sizes that were not measured. */
    if (family < 0 || row->table == &tables[TABLE_PUBLISHED]) return 1;
    if (wanted->family && strcmp(row->reader.cell[family], wanted->family)) return 0;
    const char *size = row->size_column < 0 ? NULL : row->reader.cell[row->size_column];
    const int is_wanted = !wanted->size || !size || !strcmp(size, wanted->size) ||
                          (wanted->lines_size && !strcmp(size, wanted->lines_size));
    if (row->table != &tables[TABLE_KERNELS] || !is_wanted) return is_wanted;
    return !string_set_add(&wanted->kernels, &kernel, 1);
}

/* Families, variants and points are loaded whole, for the names in a question. */
static int choose_points(struct query *query, struct wanted *wanted)
{
    const char *const name[] = {"family"}, *const value[] = {wanted->family};
    const struct scope scope = {NULL, 1, name, value};
    int result = QUERY_LOAD(query, TABLE_FAMILIES, TABLE_VARIANTS, TABLE_POINTS);
    if (!result)
        result = query_text(query, NULL, "SELECT lines_size FROM families WHERE family = :family",
                            &scope, &wanted->lines_size);
    if (!result && wanted->family)
        result = query_write(query, "DELETE FROM points WHERE family <> %Q", wanted->family);
    if (!result && wanted->size)
        result = query_write(query, "DELETE FROM points WHERE size NOT IN (%Q, coalesce(%Q, ''))",
                             wanted->size, wanted->lines_size);
    query->keeps = keeps;
    query->keeps_context = wanted;
    return result;
}

static int make_part(struct query *query, const struct records *records, int with_said)
{
    progress_next(1, STAGE_EVALUATE);
    int result = evaluate_make(query, records);
    progress_next(1, STAGE_EXPLAIN);
    if (!result && interrupted()) return FAIL_INTERRUPTED;
    if (!result) result = make_steps(query);
    if (!result) result = make_lines(query);
    if (!result) result = make_causes(query, records);
    return result || !with_said ? result : causes_said(query);
}

int explain_part(struct query *query, const struct records *records, const char *family,
                 const char *size, int with_said)
{
    struct wanted wanted = {.family = family, .size = size};
    const char *lacks = evaluation_lacks(query->run->directory);
    note("%s %s; 'whyfast evaluate %s' keeps the results", query->run->path,
         lacks ? lacks : "is not evaluated", shell_word(query->run->path).at);
    progress_begin("evaluating", "stages", 2);
    int result = choose_points(query, &wanted);
    /* Warnings belong to `evaluate`, which keeps its results. */
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    if (!result) result = make_part(query, records, with_said);
    message_level_set(level);
    query->keeps = NULL;
    string_set_free(&wanted.kernels);
    free(wanted.lines_size);
    return progress_end(result);
}
