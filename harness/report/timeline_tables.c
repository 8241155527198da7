#include "report/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "query/variant_names.h"
#include "report/timeline_checks.sql.h"
#include "run/recorded_runs.h"

/* ---- the tables of the run ------------------------------------------------------------------- */

static int check_times(struct query *query)
{
    char *found = NULL;
    int result = query_text(query, NULL, timeline_checks_sql, NULL, &found);
    if (!result && found) result = error(FAIL_INPUT, "%s/%s", query->run->path, found);
    free(found);
    return result;
}

static int has_rows(struct query *query, const char *table, int *found)
{
    char *sql = text_new("SELECT 1 FROM %s LIMIT 1", table), *any = NULL;
    const int result = sql ? query_text(query, NULL, sql, NULL, &any) : error_memory();
    *found = any != NULL;
    free(any);
    free(sql);
    return result;
}

static int lacks_times(const struct run *run)
{
    if (run_fact(run, "imported"))
        return error(FAIL_INPUT,
                     "%s: a report of Nsight Compute has no times of stages, and none "
                     "beside its launches",
                     recorded_title(run));
    return error(FAIL_INPUT,
                 "%s has no times of stages or kernels; measure again, or 'whyfast collect %s "
                 "--sets timeline' adds kernels and counters over time, both on a machine with a "
                 "GPU",
                 run->path, shell_word(run->path).at);
}

static int load(struct query *query, int *has_traces)
{
    int has_stages = 0, result = QUERY_LOAD(query, TABLE_FAMILIES, TABLE_VARIANTS, TABLE_STAGES,
                                            TABLE_TRACES, TABLE_ACTIVITIES, TABLE_TRACE_SAMPLES);
    if (!result) result = has_rows(query, "stages", &has_stages);
    if (!result) result = has_rows(query, "traces", has_traces);
    if (!result && !has_stages && !*has_traces) result = lacks_times(query->run);
    if (!result)
        result = query_write(
            query, "CREATE INDEX activities_trace ON activities(trace, launch);"
                   "CREATE INDEX trace_samples_track ON trace_samples(track, trace, begin_ns)");
    return result ? result : check_times(query);
}

/* ---- variants and sizes ---------------------------------------------------------------------- */

/* The names that were traced, those that were not, and those that ran on the CPU. */
enum { TRACED, UNTRACED, ON_CPU, NAME_LISTS };

static int list_names(struct query *query, struct variant_names lists[NAME_LISTS])
{
    static const char *const sql[NAME_LISTS] = {
        [TRACED] = "SELECT DISTINCT family || '/' || variant FROM traces",
        [UNTRACED] = "SELECT family || '/' || variant FROM variants WHERE kind IS NOT 'cpu'",
        [ON_CPU] = "SELECT family || '/' || variant FROM variants WHERE kind = 'cpu'",
    };
    int result = 0;
    for (int i = 0; i < NAME_LISTS && !result; i++)
        result = query_each(query, NULL, sql[i], NULL, variant_names_add, &lists[i]);
    return result;
}

/* The first pattern of a command line that names no run may have been meant as one. */
static int want_pattern(struct query *query, const struct variant_names lists[NAME_LISTS],
                        const char *pattern, int may_be_run)
{
    const char *const run = recorded_title(query->run);
    if (!variant_names_match(&lists[TRACED], pattern)) {
        if (variant_names_match(&lists[UNTRACED], pattern))
            return error(FAIL_INPUT, "%s has '%s', but no traces of it", run, pattern);
        if (variant_names_match(&lists[ON_CPU], pattern))
            return error(FAIL_INPUT,
                         "%s has no traces of '%s': it ran on the CPU, and traces are of kernels",
                         run, pattern);
    }
    char *lacking = may_be_run
                        ? text_new("there is no run '%s', and %s has no traces of a", pattern, run)
                        : text_new("%s has no traces of a", run);
    const int result =
        lacking ? variant_names_want(query, &lists[TRACED], pattern, lacking) : error_memory();
    free(lacking);
    return result;
}

/* Makes the tables wanted and wanted_sizes, of traced variants alone. */
static int make_wanted(struct query *query, const struct timeline_options *options)
{
    static const char sizes[] = "SELECT size FROM traces";
    struct variant_names lists[NAME_LISTS] = {{0}};
    int result =
        query_write(query, "CREATE TABLE wanted(name TEXT); CREATE TABLE wanted_sizes(size TEXT)");
    if (!result) result = list_names(query, lists);
    for (int i = 0; i < options->pattern_count && !result; i++)
        result =
            want_pattern(query, lists, options->patterns[i], i == 0 && options->first_may_be_run);
    if (!result)
        result = variant_names_want_sizes(query, sizes, options->sizes, options->size_count,
                                          recorded_title(query->run), "has no traces of");
    if (!result && !options->pattern_count)
        result =
            query_write(query, "INSERT INTO wanted SELECT family || '/' || variant FROM traces");
    if (!result && !options->size_count)
        result = query_write(query, "INSERT INTO wanted_sizes %s", sizes);
    for (int i = 0; i < NAME_LISTS; i++) variant_names_free(&lists[i]);
    return result;
}

/* A rung is named as in charts, with its setting if it has several, and its size. Beside kernels
 * only the stages in which they ran are shown, and time begins with the first of these (origin):
 * what ran before takes minutes, and a kernel microseconds. */
static int make_chosen(struct query *query, int has_traces)
{
    static const char sql[] =
        "CREATE TABLE process AS SELECT 1 + row_number() OVER (ORDER BY place, family) AS pid, "
        "family FROM (SELECT family,"
        "  (SELECT min(rowid) FROM families f WHERE f.family = t.family) AS place FROM traces t"
        "  WHERE family || '/' || variant IN wanted AND size IN wanted_sizes GROUP BY family);"
        "CREATE TABLE chosen AS SELECT p.pid, coalesce((SELECT printf('%02d %s', v.rung, v.title) "
        "|| coalesce(', ' || setting_text(v.sweep_name, v.sweep_text, t.sweep), '') FROM variants "
        "v WHERE v.family = "
        "t.family AND v.variant = t.variant AND v.title IS NOT NULL),"
        "   t.variant) || ', ' || size_text(t.size) AS name, (SELECT max(launch) + 1 FROM "
        "activities a WHERE a.trace = t.trace) "
        "AS launches, t.*"
        "  FROM traces t JOIN process p USING (family) WHERE t.family || '/' || t.variant IN "
        "wanted AND t.size IN wanted_sizes;"
        "CREATE UNIQUE INDEX chosen_trace ON chosen(trace);"
        "DELETE FROM stages WHERE end_ns <= (SELECT min(begin_ns) FROM chosen) OR begin_ns >= "
        "(SELECT max(end_ns) FROM chosen);"
        "CREATE TABLE origin AS SELECT coalesce(min(begin_ns), 0) AS ns FROM (SELECT begin_ns FROM "
        "stages UNION ALL SELECT begin_ns FROM chosen);"
        "UPDATE stages SET (begin_ns, end_ns) = (SELECT begin_ns - ns, end_ns - ns FROM origin);"
        "UPDATE chosen SET (begin_ns, end_ns) = (SELECT begin_ns - ns, end_ns - ns FROM origin)";
    int found = 0, result = query_write(query, "%s", sql);
    if (!result) result = has_rows(query, "chosen", &found);
    if (!result && has_traces && !found)
        result = error(FAIL_INPUT, "%s has no traces of these variants at these sizes",
                       recorded_title(query->run));
    return result;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* To show another metric of the points, add a row here. A metric with a rate belongs to the
 * families with that rate. */
static const struct {
    const char *name, *rate;
} shown_metrics[] = {
    {"time_ns", NULL},
    {"effective_gbs", "bytes"},
    {"tflops", "operations"},
    {"dram_gbs", NULL},
    {"shared_excess_wavefronts", NULL},
    {"branch_efficiency_pct", NULL},
    {"achieved_occupancy_pct", NULL},
};

/* json_object(...) of the metrics that the run has. */
static void append_metrics(struct text *sql, struct query *query)
{
    const char *separator = "";
    text_append(sql, "json_object(");
    for (size_t i = 0; i < sizeof shown_metrics / sizeof *shown_metrics; i++) {
        const char *name = shown_metrics[i].name, *rate = shown_metrics[i].rate;
        if (!query_has_column(query, "metrics", name)) continue;
        text_format(sql, "%s'%s', ", separator, name);
        if (rate)
            text_format(sql,
                        "CASE WHEN coalesce((SELECT rate FROM families f WHERE f.family = "
                        "m.family), 'bytes') = '%s' THEN m.%s END",
                        rate, name);
        else
            text_format(sql, "m.%s", name);
        separator = ", ";
    }
    text_append(sql, ")");
}

/* Returns 1 if the run has the file of this table, else 0. */
static int has_table(const struct run *run, enum table_id id)
{
    return file_exists(table_path(run->directory, id).at);
}

static int make_figures(struct query *query)
{
    static const char key[] = POINT_KEY;
    struct text sql = {0};
    if (!has_table(query->run, TABLE_METRICS))
        return query_write(query, "CREATE TABLE figures(%s, json)", key);
    int result = query_load(query, TABLE_METRICS);
    if (!result && has_table(query->run, TABLE_STEPS)) result = query_load(query, TABLE_STEPS);
    if (!result)
        result = query_write(query,
                             "CREATE TABLE IF NOT EXISTS steps(%s, after, speedup_prev, "
                             "speedup_prev_low, speedup_prev_high, evidence);"
                             "CREATE INDEX steps_key ON steps(%s);"
                             "CREATE INDEX families_key ON families(family)",
                             key, key);
    if (result) return result;
    text_format(&sql, "CREATE TABLE figures AS SELECT %s, json_patch(", key);
    append_metrics(&sql, query);
    text_format(&sql,
                ", coalesce((SELECT json_object('after', s.after, 'speedup_prev', s.speedup_prev, "
                "'speedup_prev_low', s.speedup_prev_low, 'speedup_prev_high', s.speedup_prev_high, "
                "'evidence', s.evidence) FROM steps s WHERE s.family = m.family AND s.variant = "
                "m.variant AND s.size = m.size AND s.block = m.block AND s.sweep = m.sweep), "
                "'{}')) AS json FROM metrics m; CREATE INDEX figures_key ON figures(%s)",
                key);
    return query_script(query, &sql);
}

/* ---- absent data ----------------------------------------------------------------------------- */

static int make_absent(struct query *query, int has_traces)
{
    static const char prefix[] = "absent: ";
    static const char sql[] =
        "CREATE TABLE absent AS SELECT what, reason, count(*) AS traces FROM ("
        "  SELECT 'kernels' AS what, activities_status AS reason FROM chosen WHERE counter_set = "
        "'kernels' AND activities_status <> 'ok'"
        "  UNION ALL SELECT 'counters of the set ' || counter_set, samples_status FROM chosen "
        "WHERE counter_set <> 'kernels' AND samples_status <> 'ok')"
        "  GROUP BY what, reason;"
        "UPDATE absent SET reason = substr(reason, 9) WHERE reason LIKE 'absent: %'";
    const char *counters = run_fact(query->run, "counters");
    int result = query_write(query, "%s", sql);
    if (!result && !has_traces)
        result = query_write(query, "INSERT INTO absent VALUES('kernels and counters over time', "
                                    "'none were recorded', NULL)");
    if (!result && counters && !strncmp(counters, prefix, strlen(prefix)))
        result = query_write(query, "INSERT INTO absent VALUES('counters', %Q, NULL)",
                             counters + strlen(prefix));
    return result;
}

int timeline_open(struct query *query, const struct run *run,
                  const struct timeline_options *options)
{
    int has_traces = 0, result = query_open(query, run);
    if (result) return result;
    result = load(query, &has_traces);
    if (!result) result = make_wanted(query, options);
    if (!result) result = make_chosen(query, has_traces);
    if (!result) result = make_figures(query);
    if (!result) result = make_absent(query, has_traces);
    if (result) query_close(query);
    return result;
}
