#include "explain/cycle_ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "query/query_guard.h"

/* A number of the header inside a statement. */
#define LEDGER_TEXT(x) LEDGER_TEXT_(x)
#define LEDGER_TEXT_(x) #x
#define POINT "family, variant, size, block, sweep"

/* ---- columns --------------------------------------------------------------------------------- */

static int add_column(struct query *query, const char *table, const char *name)
{
    if (query_has_column(query, table, name)) return 0;
    return query_write(query, "ALTER TABLE %s ADD COLUMN %s REAL", table, name);
}

/* What the statements here and in explain/causes.c name, whatever the records are. */
static const char *const needed[] = {
    "time_ns",
    "time_low_ns",
    "time_high_ns",
    "sm_clock_mhz",
    "floor_pct",
    "launches",
    "useful_bytes",
    "useful_operations",
    "scheduler_count",
    "scheduler_cycles_active",
    "scheduler_cycles_issued",
    "scheduler_cycles_idle",
    "sm_cycles_active_busiest",
    "warp_instructions_hw",
    "warp_instructions_sass",
    "warp_execution_efficiency_pct",
    "predicated_on_pct",
    "shared_wavefronts",
    "shared_excess_wavefronts",
    "global_load_sectors",
    "global_excess_sectors",
    "local_sectors",
    "warps_active_pct",
};

int ledger_columns(struct query *query, const char *table, const struct records *records)
{
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = add_column(query, table, needed[i]);
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const int is_column = record->kind == RECORD_COUNTER || record->kind == RECORD_FACT ||
                              record->kind == RECORD_METRIC;
        if (is_column) result = add_column(query, table, record->name);
    }
    return result;
}

/* ---- the records of the terms as tables ------------------------------------------------------ */

/* One row for each word of a field: opcodes and stall reasons, by term. A reason counts once,
 * for the first term that names it. */
static int insert_words(struct query *query, const char *table, const char *term, int place,
                        const char *words)
{
    int result = 0;
    for (const char *word = words; word && *word && !result;
         word += strcspn(word, " "), word += strspn(word, " "))
        result = query_write(query, "INSERT OR IGNORE INTO %s VALUES(%Q, %d, '%.*q')", table, term,
                             place, (int)strcspn(word, " "), word);
    return result;
}

static int load_terms(struct query *query, const struct records *records)
{
    int result = query_write(query, "CREATE TABLE term(term TEXT PRIMARY KEY, place INTEGER);"
                                    "CREATE TABLE term_opcode(term, place, glob);"
                                    " CREATE TABLE term_reason(term, place, reason PRIMARY KEY)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind != RECORD_TERM) continue;
        result = query_write(query, "INSERT INTO term VALUES(%Q, %d)", record->name, i);
        if (!result)
            result = insert_words(query, "term_opcode", record->name, i,
                                  record_field(record, "opcodes"));
        if (!result)
            result = insert_words(query, "term_reason", record->name, i,
                                  record_field(record, "sampled"));
    }
    return result;
}

/* ---- what there is for each point ------------------------------------------------------------ */

/* Cycles per scheduler, and how uncertain they are: relative where the name ends in noise, else
 * half of a 95 % interval in cycles. Repeats that there are not tell nothing; the residual
 * always does. launch is NULL where its cost was not measured. The tail is a difference of two
 * counters that are read in passes of their own: as uncertain as both. */
static const char bases_sql[] =
    "CREATE TABLE ledger_base AS"
    " WITH cost AS (SELECT max(CASE ceiling WHEN 'launch_ns' THEN value END) AS one,"
    "  max(CASE ceiling WHEN 'launch_ns' THEN high - low END) AS one_width,"
    "  max(CASE ceiling WHEN 'next_launch_ns' THEN value END) AS next, max(CASE ceiling WHEN "
    "'next_launch_ns' THEN high - low END) AS next_width"
    "  FROM ceilings),"
    " counted AS (SELECT row_number() OVER (ORDER BY " POINT ") AS point, " POINT
    ", m.time_ns, m.sm_clock_mhz / 1000 AS ghz, m.launches,"
    "  (m.time_high_ns - m.time_low_ns) / 2 * m.sm_clock_mhz / 1000 AS elapsed_half,"
    "  m.scheduler_cycles_issued / m.scheduler_count AS issued, m.scheduler_cycles_idle / "
    "m.scheduler_count AS stalled,"
    "  m.sm_cycles_active_busiest AS busiest, m.warp_instructions_hw AS instructions,"
    "  m.useful_operations / 32 / f.operations_per_lane / m.scheduler_count AS work,"
    "  n.scheduler_cycles_issued / m.scheduler_cycles_issued AS moved,"
    "  abs(m.warp_instructions_hw - m.warp_instructions_sass) / m.warp_instructions_hw AS differs,"
    "  n.scheduler_cycles_active / nullif(m.scheduler_cycles_active, 0) AS active_noise,"
    "  n.sm_cycles_active_busiest AS busiest_half, n.scheduler_cycles_active / m.scheduler_count "
    "AS active_half"
    "  FROM metrics m JOIN variants v USING (family, variant) LEFT JOIN families f USING (family) "
    "LEFT JOIN noise n USING (" POINT ")"
    "  WHERE m.best = 1 AND v.kind IS NOT 'cpu' AND m.time_ns > 0 AND m.sm_clock_mhz > 0 AND "
    "m.scheduler_count > 0 AND m.scheduler_cycles_issued > 0"
    "  AND m.scheduler_cycles_idle IS NOT NULL AND m.sm_cycles_active_busiest IS NOT NULL),"
    " parts AS (SELECT *, time_ns * ghz AS elapsed, max(busiest - issued - stalled, 0) AS "
    "imbalance,"
    "  sqrt(busiest_half * busiest_half + active_half * active_half) AS imbalance_half,"
    "  (one + (launches - 1) * coalesce(next, CASE launches WHEN 1 THEN 0 END)) * ghz AS launch,"
    "  (one_width + (launches - 1) * coalesce(next_width, 0)) / 2 * ghz AS launch_half FROM "
    "counted, cost),"
    " closed AS (SELECT *, elapsed - issued - stalled - imbalance - coalesce(launch, 0) AS "
    "residual FROM parts)"
    " SELECT *, max(coalesce(moved, differs), coalesce(differs, moved)) AS issued_noise,"
    "  max(coalesce(active_noise, 0), abs(residual) / elapsed) AS noise FROM closed;"
    "CREATE UNIQUE INDEX ledger_base_point ON ledger_base(point);"
    "CREATE VIEW ledger_metrics AS SELECT b.point, m.* FROM metrics m JOIN ledger_base b USING "
    "(" POINT ")";

/* ---- formulas of records --------------------------------------------------------------------- */

struct formula {
    struct query *query;
    const char *field, *term;
    sqlite3_stmt *insert;
};

static int keep_value(void *context, const struct scope *row)
{
    const struct formula *formula = context;
    sqlite3_bind_text(formula->insert, 1, row->value[0], -1, SQLITE_STATIC);
    sqlite3_bind_text(formula->insert, 2, formula->field, -1, SQLITE_STATIC);
    sqlite3_bind_text(formula->insert, 3, formula->term, -1, SQLITE_STATIC);
    if (row->value[1])
        sqlite3_bind_text(formula->insert, 4, row->value[1], -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(formula->insert, 4);
    const int status = sqlite3_step(formula->insert);
    sqlite3_reset(formula->insert);
    return status == SQLITE_DONE ? 0
                                 : query_error(formula->query, NULL, sqlite3_sql(formula->insert));
}

/* The values of a field of a term, at all points; read as other expressions of records are. */
static int evaluate_formula(struct query *query, const struct record *record, const char *field)
{
    const char *expression = record_field(record, field);
    if (record->kind != RECORD_TERM || !expression) return 0;
    struct formula formula = {query, field, record->name, NULL};
    char *place = text_new("%s:%d", record->file, record_line(record, field));
    char *sql = text_new("SELECT point, (%s) FROM ledger_metrics", expression);
    int result = place && sql ? query_guard_expression(place, expression) : error_memory();
    if (!result)
        result = query_prepare_write(
            query, "INSERT INTO ledger_formula VALUES(?, ?, ?, CAST(? AS REAL))", &formula.insert);
    if (!result) result = query_each(query, place, sql, NULL, keep_value, &formula);
    sqlite3_finalize(formula.insert);
    free(place);
    free(sql);
    return result;
}

/* Rows of ledger_formula(point, field, term, value). Where one of a field's formulas has no
 * value, the point has none of them: the others would stand for it. */
static int evaluate_formulas(struct query *query, const struct records *records)
{
    static const char incomplete_sql[] =
        "DELETE FROM ledger_formula WHERE (point, field) IN"
        " (SELECT point, field FROM ledger_formula WHERE value IS NULL)";
    int result = query_write(
        query,
        "CREATE TABLE ledger_formula(point INTEGER, field TEXT, term TEXT, value REAL); BEGIN");
    for (int i = 0; i < records->count && !result; i++) {
        result = evaluate_formula(query, &records->record[i], "counted");
        if (!result) result = evaluate_formula(query, &records->record[i], "state");
    }
    if (!result) result = query_write(query, "COMMIT");
    return result ? result : query_write(query, "%s", incomplete_sql);
}

/* ---- shares of what was issued and waited for ------------------------------------------------ */

/* Instructions by term: where nearly all that the point executes were counted one by one and
 * their machine code is known, by opcode. Of a kernel that is launched again on what it left,
 * the first launch is counted, which reads the whole input. Else by counters; `rest` is what
 * those leave. */
static const char mix_sql[] =
    "CREATE TABLE ledger_opcode AS SELECT o.opcode, coalesce((SELECT t.term FROM term_opcode t "
    "WHERE o.opcode GLOB t.glob ORDER BY t.place LIMIT"
    " 1), 'issued') AS term FROM (SELECT DISTINCT opcode FROM opcode_sums WHERE opcode IS NOT "
    "NULL) o;"
    "CREATE INDEX ledger_opcode_key ON ledger_opcode(opcode);"
    "CREATE TABLE ledger_mix AS SELECT b.point, o.term, sum(l.executed) AS weight, 'by "
    "instruction' AS status FROM opcode_sums l JOIN kernels k USING"
    " (kernel) JOIN ledger_base b USING (" POINT
    ") JOIN ledger_opcode o ON o.opcode = l.opcode WHERE l.executed > 0 GROUP BY b.point,"
    " o.term;"
    "DELETE FROM ledger_mix WHERE point NOT IN (SELECT b.point FROM ledger_base b JOIN (SELECT "
    "point, sum(weight) AS known FROM ledger_mix GROUP"
    " BY point) x USING (point) WHERE x.known >= " LEDGER_TEXT(
        LEDGER_MIX_PCT) " / 100 * b.instructions);"
                        "INSERT INTO ledger_mix SELECT point, term, value, 'by counters' FROM "
                        "ledger_formula JOIN ledger_base USING (point) WHERE field = 'counted'"
                        " AND instructions > 0 AND point NOT IN (SELECT point FROM ledger_mix);"
                        "INSERT INTO ledger_mix SELECT b.point, 'rest', max(b.instructions - "
                        "sum(x.weight), 0), x.status FROM ledger_mix x JOIN ledger_base b USING"
                        " (point) WHERE x.status = 'by counters' GROUP BY b.point";

/* What no warp could issue for, by term: samples in which nothing was issued, in cycles, and how
 * many they were; else states of warps. */
static const char wait_sql[] =
    "CREATE TABLE ledger_wait AS SELECT b.point, coalesce(r.term, 'stalled') AS term, "
    "sum(s.not_issued * k.period_cycles / k.sampled_launches) AS"
    " weight, sum(s.not_issued) AS samples, 'sampled' AS status FROM reason_sums s JOIN kernels k "
    "USING (kernel) JOIN ledger_base b USING"
    " (" POINT ") LEFT JOIN term_reason r USING (reason) WHERE s.not_issued > 0 AND "
    "k.period_cycles > 0 AND k.sampled_launches > 0 GROUP BY"
    " b.point, coalesce(r.term, 'stalled');"
    "INSERT INTO ledger_wait SELECT point, term, value, NULL, 'by warp state' FROM ledger_formula "
    "WHERE field = 'state' AND point NOT IN (SELECT"
    " point FROM ledger_wait)";

/* ---- the rows -------------------------------------------------------------------------------- */

/* Useful work is taken out of the arithmetic, and what that lacks out of the other instructions
 * that can do it. */
static const char issued_sql[] =
    "CREATE TABLE ledger_mixed(point INTEGER PRIMARY KEY, total REAL);"
    "INSERT INTO ledger_mixed SELECT point, sum(weight) FROM ledger_mix GROUP BY point;"
    "CREATE TABLE ledger_issued AS SELECT x.point, x.term, b.issued * x.weight / t.total AS "
    "cycles, b.issued_noise, x.status FROM ledger_mix x"
    " JOIN ledger_base b USING (point) JOIN ledger_mixed t USING (point) WHERE t.total > 0;"
    "CREATE TABLE ledger_work AS SELECT x.point, x.arithmetic, x.other, min(b.work, x.arithmetic + "
    "x.other) AS work, x.issued_noise, x.status"
    " FROM (SELECT point, sum(CASE WHEN term = 'arithmetic' THEN cycles ELSE 0 END) AS arithmetic, "
    "sum(CASE WHEN term IN ('overhead', 'rest')"
    " THEN cycles ELSE 0 END) AS other, issued_noise, status FROM ledger_issued GROUP BY point) x "
    "JOIN ledger_base b USING (point) WHERE b.work"
    " IS NOT NULL;"
    "INSERT INTO ledger_raw SELECT i.point, 'issued', i.term, i.cycles - coalesce(CASE WHEN i.term "
    "= 'arithmetic' THEN min(w.work, w.arithmetic)"
    " WHEN i.term IN ('overhead', 'rest') THEN max(w.work - w.arithmetic, 0) * i.cycles / w.other "
    "END, 0), i.issued_noise, 0, i.status FROM"
    " ledger_issued i LEFT JOIN ledger_work w USING (point);"
    "INSERT INTO ledger_raw SELECT point, 'issued', 'work', work, issued_noise, 0, status FROM "
    "ledger_work;"
    "INSERT INTO ledger_raw SELECT point, 'issued', 'issued', issued, issued_noise, 0, 'not told "
    "apart' FROM ledger_base WHERE point NOT IN"
    " (SELECT point FROM ledger_issued)";

static const char stalled_sql[] =
    "CREATE TABLE ledger_waited(point INTEGER PRIMARY KEY, total REAL, samples REAL);"
    "INSERT INTO ledger_waited SELECT point, sum(weight), sum(samples) FROM ledger_wait GROUP BY "
    "point;"
    "INSERT INTO ledger_raw SELECT b.point, 'stalled', x.term, b.stalled * x.weight / t.total, "
    "b.noise, CASE WHEN t.samples > 0 THEN 1.96 *"
    " sqrt(x.weight / t.total * (1 - x.weight / t.total) / t.samples) * b.stalled ELSE 0 END, "
    "x.status FROM ledger_wait x JOIN ledger_base b"
    " USING (point) JOIN ledger_waited t USING (point) WHERE t.total > 0;"
    "INSERT INTO ledger_raw SELECT point, 'stalled', 'stalled', stalled, noise, 0, 'not told "
    "apart' FROM ledger_base WHERE point NOT IN (SELECT"
    " point FROM ledger_raw WHERE part = 'stalled')";

/* Whether the identity holds, or why not, for the rows elapsed and residual. */
#define CLOSED                                                                                     \
    "CASE WHEN abs(residual) <= " LEDGER_TEXT(                                                     \
        LEDGER_CLOSED_PCT) " / 100 * elapsed THEN 'closed'"                                        \
                           " WHEN launch IS NULL THEN 'what a launch costs was not measured'"      \
                           " WHEN time_ns < " LEDGER_TEXT(                                         \
                               LEDGER_SHORT_NS) " THEN 'short: the launch itself is not known to " \
                                                "1 % of so little'"                                \
                                                " ELSE printf('the counted launches took %.2f %% " \
                                                "%s than the clean ones', 100 * abs(residual) / "  \
                                                "elapsed,"                                         \
                                                " CASE WHEN residual > 0 THEN 'less' ELSE 'more' " \
                                                "END) END"

static const char others_sql[] =
    "INSERT INTO ledger_raw SELECT point, 'empty', 'imbalance', imbalance, noise, "
    "coalesce(imbalance_half, 0), 'counted' FROM ledger_base;"
    "INSERT INTO ledger_raw SELECT point, 'empty', 'launch', launch, 0, launch_half, 'measured by "
    "itself' FROM ledger_base WHERE launch IS NOT"
    " NULL;"
    "INSERT INTO ledger_raw SELECT point, 'residual', 'residual', residual, 0, sqrt(elapsed_half * "
    "elapsed_half + noise * noise * (issued +"
    " stalled) * (issued + stalled)), " CLOSED " FROM ledger_base;"
    "INSERT INTO ledger_raw SELECT point, 'elapsed', 'elapsed', elapsed, 0, elapsed_half, " CLOSED
    " FROM ledger_base";

/* From cycles and uncertainties, relative and in cycles, to the columns of the table. */
static const char ledger_sql[] =
    "CREATE TABLE ledger AS SELECT b.family, b.variant, b.size, b.block, b.sweep, r.part, r.term, "
    "r.cycles, r.cycles / b.ghz AS ns, (r.cycles -"
    " r.half) / b.ghz AS low_ns, (r.cycles + r.half) / b.ghz AS high_ns, 100 * r.cycles / "
    "b.elapsed AS share_pct, r.status FROM (SELECT *,"
    " sqrt(cycles * cycles * noise * noise + extra * extra) AS half FROM ledger_raw) r JOIN "
    "ledger_base b USING (point) LEFT JOIN term t USING"
    " (term) ORDER BY b.family, CAST(b.size AS INTEGER), b.size, b.variant, b.block, CASE r.part "
    "WHEN 'issued' THEN 1 WHEN 'stalled' THEN 2 WHEN"
    " 'empty' THEN 3 WHEN 'residual' THEN 4 ELSE 5 END, t.place, r.term;"
    "CREATE INDEX ledger_key ON ledger(" POINT ", term)";

int ledger_make(struct query *query, const struct records *records)
{
    static const char raw_sql[] = "CREATE TABLE ledger_raw(point INTEGER, part TEXT, term TEXT, "
                                  "cycles REAL, noise REAL, extra REAL, status TEXT)";
    static const char *const parts[] = {mix_sql,     wait_sql,   raw_sql,   issued_sql,
                                        stalled_sql, others_sql, ledger_sql};
    int result = load_terms(query, records);
    if (!result) result = ledger_columns(query, "metrics", records);
    if (!result) result = ledger_columns(query, "noise", records);
    if (!result) result = query_write(query, "%s", bases_sql);
    if (!result) result = evaluate_formulas(query, records);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !result; i++)
        result = query_write(query, "%s", parts[i]);
    return result;
}
