#include "explain/compare_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"
#include "base/text.h"
#include "explain/compare_devices.sql.h"
#include "explain/compare_gates.sql.h"
#include "explain/compare_guards.sql.h"
#include "explain/compare_names.sql.h"
#include "explain/compare_pairs.sql.h"
#include "explain/compare_verdicts.sql.h"
#include "explain/resources.sql.h"

const char *const compare_verdicts[COMPARE_VERDICTS] = {
    [COMPARE_FAILED] = "failed now",        [COMPARE_SLOWER] = "slower",
    [COMPARE_TOLERATED] = "tolerated",      [COMPARE_FASTER] = "faster",
    [COMPARE_NO_EVIDENCE] = "no evidence",  [COMPARE_NOT_MEASURED] = "not measured",
    [COMPARE_ONLY_BEFORE] = "only in RUN1", [COMPARE_ONLY_AFTER] = "only in RUN2",
};

const char compare_order[] =
    "verdict = 'failed now' DESC, coalesce(direction, 0) = 0, ratio IS NULL, ratio DESC, family, "
    "CAST(size AS INTEGER), size, variant, block, sweep_before, sweep_after";

/* ---- variants and sizes ---------------------------------------------------------------------- */

/* Makes the tables wanted and wanted_sizes. */
static int make_wanted(struct run_comparison *comparison, const struct compare_options *options)
{
    static const char sizes[] = "SELECT size FROM points_1 UNION SELECT size FROM points_2";
    struct query *query = &comparison->query;
    struct variant_names known = {0};
    int result = query_write(
        query, "CREATE TABLE wanted(name TEXT); CREATE TABLE wanted_sizes(size TEXT);"
               "CREATE TABLE known AS SELECT family || '/' || variant AS name FROM variants_1"
               " UNION SELECT family || '/' || variant FROM variants_2");
    if (!result)
        result = query_each(query, NULL, "SELECT name FROM known", NULL, variant_names_add, &known);
    for (int i = 0; i < options->pattern_count && !result; i++)
        result = variant_names_want(query, &known, options->patterns[i], "neither run has a");
    if (!result)
        result = variant_names_want_sizes(query, sizes, options->sizes, options->size_count,
                                          "neither run", "has the");
    if (!result && !options->pattern_count)
        result = query_write(query, "INSERT INTO wanted SELECT name FROM known");
    if (!result && !options->size_count)
        result = query_write(query, "INSERT INTO wanted_sizes %s", sizes);
    variant_names_free(&known);
    return result;
}

/* Columns: a kernel of the second run, its name in the first. */
static int say_renamed(void *context, const struct scope *row)
{
    (void)context;
    note("%s of the second run is %s of the first", row->value[0], row->value[1]);
    return 0;
}

/* Gives the kernels of the second run the names that they have in the first, and makes a table of
 * the launches of both, in which names are found. */
static int pair_names(struct query *query)
{
    static const char *const named[] = {"variants", "points", "metrics", "samples", "launches"};
    int result = query_write(query, "%s", compare_names_sql);
    for (size_t i = 0; i < sizeof named / sizeof *named && !result; i++)
        result = query_write(query,
                             "UPDATE %s_2 SET variant = (SELECT r.variant_1 FROM renamed r WHERE "
                             "r.family = %s_2.family AND r.variant_2 = %s_2.variant) WHERE "
                             "(family, variant) IN (SELECT family, variant_2 FROM renamed)",
                             named[i], named[i], named[i]);
    if (!result)
        result = query_each(query, NULL,
                            "SELECT family || '/' || variant_2, family || '/' || variant_1 FROM "
                            "renamed ORDER BY 1",
                            NULL, say_renamed, NULL);
    return result ? result
                  : query_write(query, "CREATE TABLE launches AS SELECT family, variant, kernel "
                                       "FROM launches_1 UNION SELECT family, variant, kernel FROM "
                                       "launches_2");
}

/* ---- the runs -------------------------------------------------------------------------------- */

/* Loads the tables of a run, each with its number after its name. */
static int load(struct query *query, const struct run *run, int number)
{
    static const enum table_id needed[] = {TABLE_VARIANTS, TABLE_POINTS, TABLE_METRICS,
                                           TABLE_SAMPLES, TABLE_LAUNCHES};
    int result = 0;
    query->run = run;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++) {
        const char *name = tables[needed[i]].name;
        result = query_load(query, needed[i]);
        if (!result)
            result = query_write(query, "ALTER TABLE %s RENAME TO %s_%d", name, name, number);
    }
    return result;
}

static int say_stale(const struct run *run, const char *point)
{
    return error(
        FAIL_INPUT,
        "%s: metrics.csv does not match these samples (%s); 'whyfast evaluate %s' recomputes it",
        run->path, point, shell_word(run->path).at);
}

/* Columns: the number of the run, a point without metrics. */
static int check_evaluated(void *context, const struct scope *row)
{
    const struct run_comparison *comparison = context;
    return say_stale(*row->value[0] == '1' ? comparison->before : comparison->after, row->value[1]);
}

/* ---- samples --------------------------------------------------------------------------------- */

static int make_series(struct query *query)
{
    char *count = NULL;
    int result = query_text(query, NULL, "SELECT 2 * count(*) FROM pairs", NULL, &count);
    if (result) return result;
    query->series_count = count ? (int)strtol(count, NULL, 10) : 0;
    query->series = calloc((size_t)query->series_count + 1, sizeof *query->series);
    free(count);
    if (query->series) return 0;
    query->series_count = 0;
    return error_memory();
}

/* Columns: series, time. */
static int add_sample(void *context, const struct scope *row)
{
    struct query *query = context;
    struct sample_series *series = &query->series[row_integer(row, 0)];
    if ((series->count & (series->count - 1)) == 0) { /* full: room doubles at every power of two */
        double *sorted = realloc(series->sorted, 2 * ((size_t)series->count + 1) * sizeof *sorted);
        if (!sorted) return error_memory();
        series->sorted = sorted;
    }
    series->sorted[series->count++] = row_number(row, 1);
    return 0;
}

/* The series that time_ns is the median of (evaluate/point_facts.c). */
static int load_samples(struct query *query, int number)
{
    char *sql = text_new("SELECT 2 * v.pair + %d, s.time_ns FROM samples_%d s CROSS JOIN "
                         "(SELECT *, kind_%d AS kind FROM pairs) v USING (family, variant, size, "
                         "block) WHERE v.sweep_%d = s.sweep AND " MAIN_SERIES
                         " AND s.status = 'ok' AND s.time_ns IS NOT NULL",
                         number - 1, number, number, number);
    const int result = sql ? query_each(query, NULL, sql, NULL, add_sample, query) : error_memory();
    free(sql);
    return result;
}

/* Columns: pair, its name, time before, time after. */
static int check_median(void *context, const struct scope *row)
{
    const struct run_comparison *comparison = context;
    const struct run *const runs[] = {comparison->before, comparison->after};
    const long long pair = row_integer(row, 0);
    for (int i = 0; i < 2; i++) {
        const struct sample_series *series = &comparison->query.series[2 * pair + i];
        const double median = stats_quantile(series->sorted, (size_t)series->count, 0.5);
        const double told = row_number(row, 2 + i);
        if (isnan(median) != isnan(told) || fabs(median - told) > 1e-6 * median)
            return say_stale(runs[i], row->value[1]);
    }
    return 0;
}

static int load_series(struct run_comparison *comparison)
{
    struct query *query = &comparison->query;
    int result = make_series(query);
    for (int number = 1; number <= 2 && !result; number++) result = load_samples(query, number);
    for (int i = 0; i < query->series_count && !result; i++)
        stats_sort_times(query->series[i].sorted, (size_t)query->series[i].count);
    if (!result)
        result = query_each(
            query, NULL,
            "SELECT pair, family || '/' || variant || ', size ' || size, time_1, time_2 FROM pairs",
            NULL, check_median, comparison);
    return result;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static int add_count(void *context, const struct scope *row)
{
    struct run_comparison *comparison = context;
    for (int i = 0; i < COMPARE_VERDICTS; i++)
        if (!strcmp(row->value[0], compare_verdicts[i]))
            comparison->count[i] = (int)row_integer(row, 1);
    return 0;
}

/* ---- two devices ----------------------------------------------------------------------------- */

/* A UUID that is withheld is that of another device, unless the run is the same. */
static int are_two_devices(const struct run *before, const struct run *after)
{
    static const char *const keys[] = {"device_name", "device_uuid"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *a = run_fact(before, keys[i]), *b = run_fact(after, keys[i]);
        if (a && b && (strcmp(a, b) || !strcmp(a, WITHHELD)))
            return strcmp(before->path, after->path) != 0;
    }
    return 0;
}

static int load_demands(struct query *query, const struct run *run, int number)
{
    query->run = run;
    const int result = query_load(query, TABLE_DEMANDS);
    return result ? result : query_write(query, "ALTER TABLE demands RENAME TO demands_%d", number);
}

/* Sets the column account, if the runs are of two devices. */
static int explain_devices(struct run_comparison *comparison)
{
    struct query *query = &comparison->query;
    comparison->two_devices = are_two_devices(comparison->before, comparison->after);
    if (!comparison->two_devices) return 0;
    int result = load_demands(query, comparison->before, 1);
    if (!result) result = load_demands(query, comparison->after, 2);
    return result ? result : query_write(query, "%s %s", resources_sql, compare_devices_sql);
}

/* ---- guards ---------------------------------------------------------------------------------- */

static int load_facts(struct query *query, const struct run *run, int number)
{
    int result = 0;
    for (int i = 0; i < run->facts.count && !result; i++)
        result = query_write(query, "INSERT INTO device_fact VALUES(%d, %Q, %Q)", number,
                             run->facts.fact[i].key, run->facts.fact[i].value);
    return result;
}

static int make_guards(struct run_comparison *comparison)
{
    struct query *query = &comparison->query;
    int result = query_write(query, "CREATE TABLE device_fact(run, key, value)");
    if (!result) result = load_facts(query, comparison->before, 1);
    if (!result) result = load_facts(query, comparison->after, 2);
    return result ? result : query_write(query, "%s", compare_guards_sql);
}

int compare_open(struct run_comparison *comparison, const struct run *before,
                 const struct run *after, const struct compare_options *options)
{
    struct query *query = &comparison->query;
    *comparison = (struct run_comparison){
        .before = before, .after = after, .threshold_pct = options->threshold_pct};
    int result = query_open(query, before);
    if (result) return result;
    result = load(query, before, 1);
    if (!result) result = load(query, after, 2);
    if (!result) result = pair_names(query);
    if (!result) result = make_wanted(comparison, options);
    if (!result)
        result = query_write(query, "CREATE TABLE asked(all_settings INTEGER, threshold_pct REAL)");
    if (!result)
        result = query_run(query, NULL, "INSERT INTO asked VALUES(?, ?)", "in",
                           options->all_settings, options->threshold_pct);
    if (!result) result = query_write(query, "%s", compare_pairs_sql);
    if (!result)
        result = query_each(query, NULL,
                            "SELECT run, family || '/' || variant || ', size ' || size FROM point "
                            "WHERE status = 'ok' AND NOT evaluated ORDER BY run",
                            NULL, check_evaluated, comparison);
    if (!result) result = load_series(comparison);
    if (!result) result = query_write(query, "%s", compare_verdicts_sql);
    if (!result && options->gates) result = query_write(query, "%s", compare_gates_sql);
    if (!result) result = make_guards(comparison);
    if (!result) result = explain_devices(comparison);
    if (!result)
        result = query_each(query, NULL, "SELECT verdict, count(*) FROM compared GROUP BY verdict",
                            NULL, add_count, comparison);
    if (result) compare_close(comparison);
    return result;
}

void compare_close(struct run_comparison *comparison)
{
    query_close(&comparison->query);
}

struct decision_counts compare_counts(const struct run_comparison *comparison)
{
    const int *count = comparison->count;
    return (struct decision_counts){.wrong = count[COMPARE_FAILED],
                                    .slower = count[COMPARE_SLOWER],
                                    .faster = count[COMPARE_FASTER],
                                    .alike = count[COMPARE_NO_EVIDENCE]};
}

int compare_decision(struct run_comparison *comparison, const char *conditions,
                     enum decision *decision, char **refusal)
{
    const struct scope scope = SCOPE_OF(STRINGS("conditions"), STRINGS(conditions));
    const int result = query_text(
        &comparison->query, NULL,
        "SELECT words FROM guard WHERE state = 'fails' AND instr(:conditions, guard) ORDER BY "
        "place LIMIT 1",
        &scope, refusal);
    struct decision_counts counts = compare_counts(comparison);
    counts.refused = *refusal != NULL;
    counts.alike += comparison->count[COMPARE_TOLERATED];
    *decision = decision_of(&counts);
    return result;
}

int compare_check(struct run_comparison *comparison)
{
    const int slower = comparison->count[COMPARE_SLOWER],
              failed = comparison->count[COMPARE_FAILED];
    enum decision decision;
    char *refusal = NULL;
    int result = compare_decision(comparison, COMPARE_CONDITIONS, &decision, &refusal);
    if (!result) result = decision_failure(decision, 1);
    if (refusal && result == FAIL_COMPARE)
        error(result, "%s", refusal);
    else if (result == FAIL_COMPARE)
        error(result, "no point was measured in both runs: nothing was compared");
    else if (failed && slower)
        error(result, "slower beyond the noise floor: %d; correct before, failed now: %d", slower,
              failed);
    else if (failed || slower)
        error(result, "%s: %d",
              failed ? "correct before, failed now" : "slower beyond the noise floor",
              failed + slower);
    free(refusal);
    return result;
}

/* ---- the machines ---------------------------------------------------------------------------- */

static void warn_of_unmeasured(const struct run *run)
{
    const char *from = run_fact(run, "replay_of"), *timing = run_fact(run, "timing");
    if (from)
        warning("%s replays the recorded run %s: nothing was measured for it", run->path, from);
    if (timing) warning("%s: times are %s", run->path, timing);
}

int compare_warn(struct run_comparison *comparison)
{
    char *words = NULL;
    const int result = query_text(
        &comparison->query, NULL,
        "SELECT words FROM guard WHERE guard = 'device' AND state <> 'holds'", NULL, &words);
    if (words) warning("%s; a difference in time may be due to the machine", words);
    free(words);
    warn_of_unmeasured(comparison->before);
    warn_of_unmeasured(comparison->after);
    return result;
}
