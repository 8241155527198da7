/*
 * explain: one table after another, each by a module of its own: for every step the speed-up with
 * its evidence and the published one beside it (here), the verdict on every claim
 * (explain/claim_verdicts.h), what moved and which rules speak (explain/findings.h), what was
 * predicted (explain/predict.h), the cycle ledger and the causes that sum to each change
 * (explain/cycle_ledger.h, explain/causes.h), what each factor of an ablation is worth
 * (explain/ablation.h), what each resource would need alone (explain/resource_demands.h), ramp,
 * steady part and tail of what was sampled over time (explain/phases.h).
 */
#include <stdlib.h>

#include "base/atomic_file.h"
#include "base/message.h"
#include "catalog/records.h"
#include "explain/ablation.h"
#include "explain/causes.h"
#include "explain/claim_verdicts.h"
#include "explain/cycle_ledger.h"
#include "explain/explain.h"
#include "explain/findings.h"
#include "explain/phases.h"
#include "explain/predict.h"
#include "explain/resource_demands.h"
#include "lines/lines_tables.h"
#include "lines/opcode_sums.h"
#include "query/query.h"
#include "query/track_values.h"
#include "run/run_stages.h"

struct explanation {
    struct query query;
    struct records records;
    struct atomic_files group; /* all files of this stage appear together */
    int impossible; /* tracks, and kinds of instructions' counts, with values that cannot be */
};

/* A table of the run from one statement. */
static int write_table(struct explanation *explanation, const char *name, const char *sql)
{
    FILE *file;
    const int result =
        atomic_files_begin(&explanation->group, explanation->query.run->directory, name, &file);
    return result ? result : query_csv(&explanation->query, NULL, sql, NULL, file);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int make_steps(struct explanation *explanation)
{
    static const char sql[] =
        "CREATE TABLE steps AS SELECT family, variant, size, block, sweep, after, speedup_prev, "
        "speedup_prev_low, speedup_prev_high, speedup_first, "
        "speedup_first_low, speedup_first_high,"
        " max(floor_pct, prev_floor_pct) AS floor_pct,"
        " CASE WHEN speedup_prev_low IS NULL OR floor_pct IS NULL OR prev_floor_pct IS NULL THEN "
        "'not measured'"
        " WHEN speedup_prev_low > 1 + max(floor_pct, prev_floor_pct) / 100.0 THEN 'faster'"
        " WHEN speedup_prev_high < 1 - max(floor_pct, prev_floor_pct) / 100.0 THEN 'slower' ELSE "
        "'no evidence' END AS evidence"
        " FROM ladder WHERE after IS NOT NULL AND best = 1 ORDER BY family, CAST(size AS INTEGER), "
        "size, variant";
    const int result = query_write(&explanation->query, "%s", sql);
    return result ? result : write_table(explanation, "steps.csv", "SELECT * FROM steps");
}

/* ---- what the sources print ------------------------------------------------------------------ */

/* Per source and size the best published time of each rung; the speed-ups follow from the times. */
static int make_published_steps(struct explanation *explanation)
{
    static const char sql[] =
        "WITH best AS (SELECT family, variant, size, source, device, peak_gbs, min(time_ns) AS "
        "time_ns, effective_gbs, block FROM "
        "published GROUP "
        "BY family, variant, size, source),"
        " stepped AS (SELECT b.*, (SELECT p.time_ns FROM steps_of s JOIN best p ON p.family = "
        "b.family AND p.variant = s.prev AND p.size = "
        "b.size AND p.source = b.source"
        "  WHERE s.family = b.family AND s.variant = b.variant) AS prev_time_ns,"
        " (SELECT p.time_ns FROM steps_of s JOIN best p ON p.family = b.family AND p.variant = "
        "s.first AND p.size = b.size AND p.source = "
        "b.source"
        "  WHERE s.family = b.family AND s.variant = b.variant) AS first_time_ns FROM best b)"
        " SELECT t.family, t.variant, t.size, t.source, t.device, t.peak_gbs, t.effective_gbs, "
        "100.0 * t.effective_gbs / t.peak_gbs AS "
        "pct_of_peak,"
        " t.prev_time_ns / t.time_ns AS published_speedup_prev, t.first_time_ns / t.time_ns AS "
        "published_speedup_first,"
        " m.speedup_prev AS measured_speedup_prev, m.speedup_first AS measured_speedup_first, "
        "t.block AS published_block"
        " FROM stepped t LEFT JOIN metrics m ON m.family = t.family AND m.variant = t.variant AND "
        "m.size = t.size AND m.best = 1"
        " ORDER BY t.family, t.source, CAST(t.size AS INTEGER), t.size, t.variant";
    return write_table(explanation, "published_steps.csv", sql);
}

/* ---- the ledger ------------------------------------------------------------------------------ */

static int make_ledger(struct explanation *explanation)
{
    int impossible = 0, result = opcode_sums_load(&explanation->query);
    if (!result) result = lines_tables_impossible(&explanation->query, &impossible);
    explanation->impossible += impossible;
    if (!result) result = ledger_make(&explanation->query, &explanation->records);
    if (!result) result = write_table(explanation, "ledger.csv", "SELECT * FROM ledger");
    if (!result) result = causes_levels(&explanation->query, &explanation->records);
    if (!result) result = write_table(explanation, "levels.csv", "SELECT * FROM levels");
    if (!result) result = causes_make(&explanation->query, &explanation->records);
    if (!result) result = write_table(explanation, "causes.csv", "SELECT * FROM causes");
    return result ? result : write_table(explanation, "headlines.csv", "SELECT * FROM headlines");
}

/* ---- ablation -------------------------------------------------------------------------------- */

static int make_ablation(struct explanation *explanation)
{
    FILE *file;
    const int result = atomic_files_begin(&explanation->group, explanation->query.run->directory,
                                          "ablation.csv", &file);
    return result ? result : ablation_write(&explanation->query, file);
}

/* ---- counters over time ---------------------------------------------------------------------- */

static int make_phases(struct explanation *explanation)
{
    static const enum table_id needed[] = {TABLE_TRACES, TABLE_TRACE_SAMPLES};
    int result = 0, impossible = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(&explanation->query, needed[i]);
    if (!result) result = track_values_make(&explanation->query, &explanation->records);
    if (!result) result = track_values_impossible(&explanation->query, &impossible);
    explanation->impossible += impossible;
    if (!result) result = track_values_add_dram(&explanation->query);
    if (!result) result = phases_make(&explanation->query);
    return result ? result : write_table(explanation, "phases.csv", "SELECT * FROM phases");
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The order counts: predictions read the columns of metrics, to which the ledger adds some. */
static int make_all(struct explanation *explanation)
{
    struct query *query = &explanation->query;
    int result = make_steps(explanation);
    if (!result) result = make_published_steps(explanation);
    if (!result) result = make_predictions(query, &explanation->group);
    if (!result) result = verdicts_write(query, &explanation->records, &explanation->group);
    if (!result) result = findings_write(query, &explanation->records, &explanation->group);
    if (!result) result = make_ledger(explanation);
    if (!result) result = make_ablation(explanation);
    if (!result) result = demands_write(query, &explanation->records, &explanation->group);
    return result ? result : make_phases(explanation);
}

static int compute_tables(struct run *run)
{
    static const enum table_id needed[] = {TABLE_FAMILIES,  TABLE_VARIANTS, TABLE_CLAIMS,
                                           TABLE_PUBLISHED, TABLE_POINTS,   TABLE_METRICS,
                                           TABLE_NOISE,     TABLE_CEILINGS, TABLE_IMPOSSIBLE};
    struct explanation explanation = {.group = {.count = 0}};
    int result = records_read_own(&explanation.records);
    if (result) return result;
    result = query_open(&explanation.query, run);
    if (!result) {
        for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
            result = query_load(&explanation.query, needed[i]);
        if (!result)
            result =
                query_write(&explanation.query,
                            "CREATE INDEX noise_key ON noise(family, variant, size, block, sweep)");
        if (!result) result = query_make_ladder(&explanation.query, "metrics");
        if (!result) result = make_all(&explanation);
        result = atomic_files_end(&explanation.group, result);
        run->impossible += explanation.impossible;
        query_close(&explanation.query);
    }
    records_free(&explanation.records);
    return result;
}

int explain_run(struct run *run)
{
    return stage_work(STAGE_EXPLAIN, compute_tables, run);
}
