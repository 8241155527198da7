#include "explain/compare_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/stats.h"
#include "base/text.h"

const char *const compare_verdicts[COMPARE_VERDICTS] = {
    [COMPARE_FAILED] = "failed now",        [COMPARE_SLOWER] = "slower",
    [COMPARE_TOLERATED] = "tolerated",      [COMPARE_FASTER] = "faster",
    [COMPARE_NO_EVIDENCE] = "no evidence",  [COMPARE_NOT_MEASURED] = "not measured",
    [COMPARE_ONLY_BEFORE] = "only in RUN1", [COMPARE_ONLY_AFTER] = "only in RUN2",
};

const char compare_order[] = "verdict = 'failed now' DESC, ratio IS NULL, ratio DESC, family, "
                             "CAST(size AS INTEGER), size, variant, block, "
                             "sweep_before, sweep_after";

#define GROUP "family, variant, size, block"
#define POINT GROUP ", sweep"

/* ---- variants and sizes ---------------------------------------------------------------------- */

/* Makes the tables wanted and wanted_sizes. */
static int make_wanted(struct run_comparison *comparison, const struct compare_options *options)
{
    static const char sizes[] = "SELECT size FROM points_1 UNION SELECT size FROM points_2";
    struct query *query = &comparison->query;
    struct variant_names known = {0};
    int found = 0;
    int result = query_write(
        query, "CREATE TABLE wanted(name TEXT); CREATE TABLE wanted_sizes(size TEXT);"
               "CREATE TABLE known AS SELECT family || '/' || variant AS name FROM variants_1"
               " UNION SELECT family || '/' || variant FROM variants_2");
    if (!result)
        result = query_each(query, NULL, "SELECT name FROM known", NULL, variant_names_add, &known);
    for (int i = 0; i < options->pattern_count && !result; i++)
        result = variant_names_want(query, &known, options->patterns[i], "neither run has a");
    for (int i = 0; i < options->size_count && !result; i++) {
        result = variant_names_want_size(query, sizes, options->sizes[i], &found);
        if (!result && !found)
            result = error(FAIL_USAGE, "--size: neither run has the size %s", options->sizes[i]);
    }
    if (!result && !options->pattern_count)
        result = query_write(query, "INSERT INTO wanted SELECT name FROM known");
    if (!result && !options->size_count)
        result = query_write(query, "INSERT INTO wanted_sizes %s", sizes);
    variant_names_free(&known);
    return result;
}

#define WANTED "family || '/' || variant IN wanted AND size IN wanted_sizes"

/* ---- the runs -------------------------------------------------------------------------------- */

/* Loads the tables of a run, each with its number after its name. */
static int load(struct query *query, const struct run *run, int number)
{
    static const enum table_id needed[] = {TABLE_VARIANTS, TABLE_POINTS, TABLE_METRICS,
                                           TABLE_SAMPLES};
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
        "%s: metrics.csv is not of these samples (%s); 'whyfast evaluate %s' makes it anew",
        run->path, point, run->path);
}

static int check_evaluated(struct query *query, const struct run *run, int number)
{
    struct text sql = {0};
    char *lacking = NULL;
    text_format(&sql,
                "SELECT family || '/' || variant || ', size ' || size FROM points_%d LEFT JOIN "
                "metrics_%d m USING (" POINT ") WHERE status = 'ok' AND m.rowid IS NULL",
                number, number);
    int result =
        sql.failed ? error_memory() : query_text(query, NULL, text_string(&sql), NULL, &lacking);
    if (!result && lacking) result = say_stale(run, lacking);
    free(lacking);
    text_free(&sql);
    return result;
}

/* Makes the table side_1 or side_2: the points to compare, of each variant in its best setting or
 * in all. SQLite takes the other columns from the row with the maximum. */
static int make_side(struct query *query, int number, int all_settings)
{
    return query_write(
        query,
        "CREATE INDEX metrics_%d_key ON metrics_%d(" POINT ");"
        "CREATE TABLE side_%d AS SELECT " POINT
        ", time_ns, floor_pct, sass_hash AS hash, CASE kind WHEN 'cpu' THEN 'warm' "
        "ELSE 'cold' END AS l2, max(coalesce(best, 0)) AS best FROM points_%d JOIN metrics_%d "
        "USING (" POINT ") JOIN variants_%d USING (family, variant) WHERE status = 'ok' AND " WANTED
        " GROUP BY " GROUP "%s",
        number, number, number, number, number, number, all_settings ? ", sweep" : "");
}

/* Makes the table pairs: the points that both runs measured. Their series are 2 pair and 2 pair
 * + 1. */
static int make_pairs(struct query *query, int all_settings)
{
    return query_write(query,
                       "CREATE TABLE pairs AS SELECT row_number() OVER () - 1 AS pair, " GROUP
                       ", a.sweep AS sweep_1, b.sweep AS sweep_2, "
                       "a.l2 AS l2_1, b.l2 AS l2_2, a.time_ns AS time_1, b.time_ns AS time_2, "
                       "max(a.floor_pct, b.floor_pct) AS floor_pct, "
                       "CASE WHEN a.hash = b.hash THEN 'same' WHEN a.hash <> b.hash THEN 'changed' "
                       "END AS machine_code "
                       "FROM side_1 a JOIN side_2 b USING (" GROUP "%s);"
                       "CREATE INDEX pairs_1 ON pairs(" GROUP
                       ", sweep_1); CREATE INDEX pairs_2 ON pairs(" GROUP ", sweep_2)",
                       all_settings ? ", sweep" : "");
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
    struct sample_series *series = &query->series[strtol(row->value[0], NULL, 10)];
    if ((series->count & (series->count - 1)) == 0) { /* full: room doubles at every power of two */
        double *sorted = realloc(series->sorted, 2 * ((size_t)series->count + 1) * sizeof *sorted);
        if (!sorted) return error_memory();
        series->sorted = sorted;
    }
    series->sorted[series->count++] = strtod(row->value[1], NULL);
    return 0;
}

/* The series that time_ns is the median of (evaluate/point_facts.c). */
static int load_samples(struct query *query, int number)
{
    struct text sql = {0};
    text_format(
        &sql,
        "SELECT 2 * p.pair + %d, s.time_ns FROM samples_%d s CROSS JOIN pairs p USING (" GROUP
        ") WHERE p.sweep_%d = s.sweep "
        "AND p.l2_%d = s.l2 AND s.kind = 'end_to_end' AND s.copy = 'a' AND s.status = 'ok' AND "
        "s.time_ns IS NOT NULL",
        number - 1, number, number, number);
    const int result = sql.failed
                           ? error_memory()
                           : query_each(query, NULL, text_string(&sql), NULL, add_sample, query);
    text_free(&sql);
    return result;
}

/* Columns: pair, its name, time before, time after. */
static int check_median(void *context, const struct scope *row)
{
    const struct run_comparison *comparison = context;
    const struct run *const runs[] = {comparison->before, comparison->after};
    const long pair = strtol(row->value[0], NULL, 10);
    for (int i = 0; i < 2; i++) {
        const struct sample_series *series = &comparison->query.series[2 * pair + i];
        const double median = stats_quantile(series->sorted, (size_t)series->count, 0.5);
        const double told = row->value[2 + i] ? strtod(row->value[2 + i], NULL) : NAN;
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
        stats_sort(query->series[i].sorted, (size_t)query->series[i].count);
    if (!result)
        result = query_each(
            query, NULL,
            "SELECT pair, family || '/' || variant || ', size ' || size, time_1, time_2 FROM pairs",
            NULL, check_median, comparison);
    return result;
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static int judge_pairs(struct run_comparison *comparison)
{
    return query_write(
        &comparison->query,
        "CREATE TABLE compared AS SELECT " GROUP
        ", sweep_1 AS sweep_before, sweep_2 AS sweep_after, '' AS verdict, "
        "time_2 / time_1 AS ratio, ratio_low(2 * pair + 1, 2 * pair) AS ratio_low, ratio_high(2 * "
        "pair + 1, 2 * pair) AS "
        "ratio_high, floor_pct, time_1 AS time_before_ns, time_2 AS time_after_ns, machine_code, "
        "NULL AS reason FROM pairs;"
        "UPDATE compared SET verdict = CASE WHEN ratio_low IS NULL OR floor_pct IS NULL THEN %Q"
        " WHEN ratio_low > 1 + max(floor_pct, %.17g) / 100.0 THEN %Q WHEN ratio_low > 1 + "
        "floor_pct / 100.0 THEN %Q"
        " WHEN ratio_high < 1 / (1 + floor_pct / 100.0) THEN %Q ELSE %Q END, reason = CASE WHEN "
        "ratio_low IS NULL THEN "
        "'fewer than six samples' WHEN floor_pct IS NULL THEN 'no noise floor' END",
        compare_verdicts[COMPARE_NOT_MEASURED], comparison->threshold_pct,
        compare_verdicts[COMPARE_SLOWER], compare_verdicts[COMPARE_TOLERATED],
        compare_verdicts[COMPARE_FASTER], compare_verdicts[COMPARE_NO_EVIDENCE]);
}

/* A wrong result counts in any setting. */
static int add_failed(struct query *query)
{
    return query_write(query,
                       "INSERT INTO compared SELECT " GROUP
                       ", sweep, sweep, %Q, NULL, NULL, NULL, NULL, time_ns, NULL, NULL, b.reason "
                       "FROM points_1 a JOIN points_2 b USING (" POINT
                       ") LEFT JOIN metrics_1 USING (" POINT
                       ") WHERE a.status = 'ok' AND b.status = 'failed' AND " WANTED,
                       compare_verdicts[COMPARE_FAILED]);
}

/* Adds points of one run that are in no pair and did not fail, with their status in the other run.
 */
static int add_lonely(struct query *query, int number, enum compare_verdict verdict)
{
    return query_write(
        query,
        "INSERT INTO compared SELECT " GROUP ", %s, %Q, NULL, NULL, NULL, NULL, %s, NULL, "
        "CASE WHEN o.reason IS NULL THEN o.status ELSE o.status || ': ' || o.reason END "
        "FROM side_%d s LEFT JOIN points_%d o USING (" POINT ") "
        "WHERE (" POINT ") NOT IN (SELECT " GROUP ", sweep_%d FROM pairs) "
        "AND (" POINT ") NOT IN (SELECT " GROUP ", sweep_before FROM compared WHERE verdict = %Q)",
        number == 1 ? "sweep, NULL" : "NULL, sweep", compare_verdicts[verdict],
        number == 1 ? "time_ns, NULL" : "NULL, time_ns", number, 3 - number, number,
        compare_verdicts[COMPARE_FAILED]);
}

static int add_count(void *context, const struct scope *row)
{
    struct run_comparison *comparison = context;
    for (int i = 0; i < COMPARE_VERDICTS; i++)
        if (!strcmp(row->value[0], compare_verdicts[i]))
            comparison->count[i] = (int)strtol(row->value[1], NULL, 10);
    return 0;
}

int compare_open(struct run_comparison *comparison, const struct run *before,
                 const struct run *after, const struct compare_options *options)
{
    struct query *query = &comparison->query;
    memset(comparison, 0, sizeof *comparison);
    comparison->before = before;
    comparison->after = after;
    comparison->threshold_pct = options->threshold_pct;
    int result = query_open(query, before);
    if (result) return result;
    result = load(query, before, 1);
    if (!result) result = load(query, after, 2);
    if (!result) result = make_wanted(comparison, options);
    for (int number = 1; number <= 2 && !result; number++)
        result = make_side(query, number, options->all_settings);
    if (!result) result = check_evaluated(query, before, 1);
    if (!result) result = check_evaluated(query, after, 2);
    if (!result) result = make_pairs(query, options->all_settings);
    if (!result) result = load_series(comparison);
    if (!result) result = judge_pairs(comparison);
    if (!result) result = add_failed(query);
    if (!result) result = add_lonely(query, 1, COMPARE_ONLY_BEFORE);
    if (!result) result = add_lonely(query, 2, COMPARE_ONLY_AFTER);
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

int compare_check(const struct run_comparison *comparison)
{
    const int slower = comparison->count[COMPARE_SLOWER],
              failed = comparison->count[COMPARE_FAILED];
    const int judged = slower + failed + comparison->count[COMPARE_TOLERATED] +
                       comparison->count[COMPARE_FASTER] + comparison->count[COMPARE_NO_EVIDENCE];
    if (!judged)
        return error(FAIL_CHECK, "no point was measured in both runs: nothing was compared");
    if (failed && slower)
        return error(FAIL_CHECK,
                     "slower beyond the noise floor: %d; correct before, failed now: %d", slower,
                     failed);
    if (failed) return error(FAIL_CHECK, "correct before, failed now: %d", failed);
    if (slower) return error(FAIL_CHECK, "slower beyond the noise floor: %d", slower);
    return 0;
}

/* ---- the machines ---------------------------------------------------------------------------- */

/* Facts of run.txt that can change a time without a change of the code. */
static const char *const machine_facts[] = {
    "device_name",
    "device_uuid",
    "driver",
    "cuda_driver",
    "cuda_runtime",
    "device_sm_clock_khz",
    "device_dram_clock_khz",
    "device_power_limit_w",
    "device_ecc",
    "device_mig",
    "device_clock_event_reasons",
};

static int differs(const struct run *before, const struct run *after, const char *key)
{
    const char *a = run_fact(before, key), *b = run_fact(after, key);
    return a && b ? strcmp(a, b) != 0 : a != b;
}

static void warn_of_replay(const struct run *run)
{
    const char *from = run_fact(run, "replay_of");
    if (from)
        warning("%s replays the recorded run %s: nothing was measured for it", run->path, from);
}

static void warn_of_timing(const struct run *run)
{
    const char *timing = run_fact(run, "timing");
    if (timing) warning("%s: times are %s", run->path, timing);
}

void compare_warn(const struct run *before, const struct run *after)
{
    struct text list = {0};
    for (size_t i = 0; i < sizeof machine_facts / sizeof *machine_facts; i++) {
        const char *key = machine_facts[i];
        if (!differs(before, after, key)) continue;
        const char *a = run_fact(before, key), *b = run_fact(after, key);
        text_format(&list, "%s%s (%s, then %s)", list.length ? ", " : "", key, a ? a : "unknown",
                    b ? b : "unknown");
    }
    if (list.length)
        warning("%s: %s; a difference in time may be due to the machine",
                differs(before, after, "device_name")   ? "the runs are of different devices"
                : differs(before, after, "device_uuid") ? "the runs are of two boards"
                                                        : "the machine had other settings",
                text_string(&list));
    text_free(&list);
    warn_of_replay(before);
    warn_of_replay(after);
    warn_of_timing(before);
    warn_of_timing(after);
}
