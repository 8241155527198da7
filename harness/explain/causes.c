#include "explain/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "explain/cycle_ledger.h"

#define POINT "family, variant, size, block, sweep"

/* ---- levels ---------------------------------------------------------------------------------- */

/* Of every point: how many of its lanes take part, and which part of its waiting excess
 * wavefronts and sectors have. What is not known tells nothing apart. */
static const char shares_sql[] =
    "CREATE TABLE ledger_share AS SELECT " POINT
    ", sm_clock_mhz / 1000 AS ghz, min(coalesce(warp_execution_efficiency_pct, 100) / 100, 1) AS"
    " active, min(coalesce(predicated_on_pct, 100) / 100, 1) AS lanes_on, "
    "coalesce(min(max(shared_excess_wavefronts / nullif(shared_wavefronts,"
    " 0), 0), 1), 0) AS conflict, coalesce(min(max(global_excess_sectors / "
    "nullif(global_load_sectors + local_sectors, 0), 0), 1), 0) AS"
    " uncoalesced, coalesce(min(max(local_sectors / nullif(global_load_sectors + local_sectors, "
    "0), 0), 1), 0) AS spilled FROM metrics WHERE best"
    " = 1;"
    "UPDATE ledger_share SET spilled = min(spilled, 1 - uncoalesced);"
    "CREATE INDEX ledger_share_key ON ledger_share(" POINT ");"
    "CREATE TABLE ledger_half AS SELECT l.*, (l.high_ns - l.low_ns) / 2 * s.ghz AS half, s.active, "
    "s.lanes_on, s.conflict, s.uncoalesced,"
    " s.spilled, coalesce(t.cause, l.term) AS cause FROM ledger l JOIN ledger_share s USING (" POINT
    ") LEFT JOIN term_cause t USING (term) WHERE"
    " l.part <> 'elapsed'";

/* Idle lanes in whole warps, taken from all but the useful work, and how uncertain the
 * instructions are: all of them alike. */
static const char idle_sql[] =
    "CREATE TABLE ledger_idle AS SELECT " POINT
    ", sum(cycles) AS issued, sum(CASE term WHEN 'work' THEN cycles ELSE 0 END) AS work, active,"
    " lanes_on, CASE WHEN count(half) = count(*) THEN sum(half) / nullif(sum(cycles), 0) END AS "
    "noise FROM ledger_half WHERE part = 'issued'"
    " GROUP BY " POINT ";"
    "ALTER TABLE ledger_idle ADD COLUMN divergence;"
    " ALTER TABLE ledger_idle ADD COLUMN predication;"
    " ALTER TABLE ledger_idle ADD COLUMN kept;"
    "UPDATE ledger_idle SET divergence = min(issued * (1 - active), issued - work);"
    "UPDATE ledger_idle SET predication = min(issued * active * (1 - lanes_on), issued - work - "
    "divergence);"
    "UPDATE ledger_idle SET kept = CASE WHEN issued > work THEN (issued - work - divergence - "
    "predication) / (issued - work) ELSE 1 END;"
    "CREATE INDEX ledger_idle_key ON ledger_idle(" POINT ")";

/* Every part of a term goes to one cause; an interval that is not known makes that of its cause
 * unknown. */
static const char levels_sql[] =
    "CREATE TABLE ledger_cause AS"
    " WITH issued AS (SELECT l.*, CASE l.term WHEN 'work' THEN 1 ELSE i.kept END AS part_kept FROM "
    "ledger_half l JOIN ledger_idle i USING"
    " (" POINT ") WHERE l.part = 'issued'),"
    " stalled AS (SELECT * FROM ledger_half WHERE part = 'stalled'),"
    " parts AS (SELECT " POINT
    ", cause, 0 AS waiting, cycles * part_kept AS cycles, half * part_kept AS half FROM issued"
    " UNION ALL SELECT " POINT ", 'divergence', 0, divergence, divergence * noise FROM ledger_idle"
    " UNION ALL SELECT " POINT
    ", 'predication', 0, predication, predication * noise FROM ledger_idle"
    " UNION ALL SELECT " POINT ", 'bank_conflicts', 0, cycles * conflict, half * conflict FROM "
    "stalled WHERE cause = 'shared_memory'"
    " UNION ALL SELECT " POINT ", 'shared_memory', 0, cycles * (1 - conflict), half * (1 - "
    "conflict) FROM stalled WHERE cause = 'shared_memory'"
    " UNION ALL SELECT " POINT ", 'uncoalesced', 0, cycles * uncoalesced, half * uncoalesced FROM "
    "stalled WHERE cause = 'global_memory'"
    " UNION ALL SELECT " POINT
    ", 'spills', 0, cycles * spilled, half * spilled FROM stalled WHERE cause = 'global_memory'"
    " UNION ALL SELECT " POINT ", 'global_memory', 1, cycles * (1 - uncoalesced - spilled), half * "
    "(1 - uncoalesced - spilled) FROM stalled WHERE"
    " cause = 'global_memory'"
    " UNION ALL SELECT " POINT ", cause, cause = 'dependencies', cycles, half FROM stalled WHERE "
    "cause NOT IN ('shared_memory', 'global_memory')"
    " UNION ALL SELECT " POINT
    ", cause, 0, cycles, half FROM ledger_half WHERE part IN ('empty', 'residual'))"
    " SELECT " POINT ", cause, waiting, sum(cycles) AS cycles, CASE WHEN count(half) = count(*) "
    "THEN sqrt(sum(half * half)) END AS half FROM"
    " parts GROUP BY " POINT ", cause, waiting;"
    "CREATE INDEX ledger_cause_key ON ledger_cause(" POINT ")";

/* The same by cause and in time; of each point they sum to its clean time. */
static const char times_sql[] =
    "CREATE TABLE levels AS WITH summed AS (SELECT " POINT
    ", cause, sum(cycles) AS cycles, CASE WHEN count(half) = count(*) THEN"
    " sqrt(sum(half * half)) END AS half FROM ledger_cause GROUP BY " POINT ", cause)"
    " SELECT s.family, s.variant, s.size, s.block, s.sweep, s.cause, s.cycles * e.ns / e.cycles AS "
    "ns, (s.cycles - s.half) * e.ns / e.cycles AS low_ns,"
    " (s.cycles + s.half) * e.ns / e.cycles AS high_ns, 100 * s.cycles / e.cycles AS share_pct "
    "FROM summed s JOIN ledger e USING (" POINT ") LEFT"
    " JOIN cause k USING (cause) WHERE e.part = 'elapsed' ORDER BY s.family, CAST(s.size AS "
    "INTEGER), s.size, s.variant, k.place";

int causes_names(struct query *query, const struct records *records)
{
    int result = query_write(
        query,
        "CREATE TABLE cause(cause TEXT PRIMARY KEY, place INTEGER, title, area, means, witness)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_CAUSE)
            result =
                query_write(query, "INSERT INTO cause VALUES(%Q, %d, %Q, %Q, %Q, %Q)", record->name,
                            i, record_field(record, "title"), record_field(record, "area"),
                            record_field(record, "means"), record_field(record, "witness"));
    }
    return result;
}

int causes_levels(struct query *query, const struct records *records)
{
    int result = causes_names(query, records);
    if (!result)
        result = query_write(query, "CREATE TABLE term_cause(term TEXT PRIMARY KEY, cause TEXT)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *cause = record->kind == RECORD_TERM ? record_field(record, "cause") : NULL;
        if (cause && !records_find(records, RECORD_CAUSE, cause))
            return error(FAIL_INPUT, "%s:%d: no cause is called '%s'", record->file,
                         record_line(record, "cause"), cause);
        if (cause)
            result =
                query_write(query, "INSERT INTO term_cause VALUES(%Q, %Q)", record->name, cause);
    }
    if (!result) result = ledger_columns(query, "metrics", records);
    if (!result) result = query_write(query, "%s", shares_sql);
    if (!result) result = query_write(query, "%s", idle_sql);
    if (!result) result = query_write(query, "%s", levels_sql);
    return result ? result : query_write(query, "%s", times_sql);
}

/* ---- one side -------------------------------------------------------------------------------- */

struct sided {
    const struct records *records;
    struct attribution_side *side;
};

static double number_or_nan(const char *value)
{
    return value ? strtod(value, NULL) : NAN;
}

static int take_point(void *context, const struct scope *row)
{
    struct attribution_side *side = ((struct sided *)context)->side;
    side->time_ns = number_or_nan(row->value[0]);
    side->ghz = number_or_nan(row->value[1]);
    side->warps = number_or_nan(row->value[2]);
    return 0;
}

static int take_level(void *context, const struct scope *row)
{
    const struct sided *sided = context;
    const struct record *cause = records_find(sided->records, RECORD_CAUSE, row->value[0]);
    if (!cause)
        return error(FAIL_INPUT,
                     "ledger.csv: the term '%s' leads to no cause; 'whyfast explain RUN' makes the "
                     "ledger anew",
                     row->value[0]);
    if (sided->side->count == ACCOUNT_CAUSES)
        return error(FAIL_INPUT, "ledger.csv: more than %d causes of one point", ACCOUNT_CAUSES);
    sided->side->level[sided->side->count++] = (struct attribution_level){
        .cause = cause->name,
        .waiting = strtol(row->value[1], NULL, 10) != 0,
        .cycles = number_or_nan(row->value[2]),
        .half = number_or_nan(row->value[3]),
    };
    return 0;
}

int causes_side(struct query *query, const struct records *records, const struct scope *scope,
                struct attribution_side *side)
{
    static const char point_sql[] =
        "SELECT time_ns, sm_clock_mhz / 1000, warps_active_pct FROM metrics WHERE " CAUSES_POINT,
                      causes_sql[] = "SELECT l.cause, l.waiting, l.cycles, l.half FROM "
                                     "ledger_cause l LEFT JOIN cause c USING (cause) WHERE"
                                     " " CAUSES_POINT " ORDER BY c.place, l.waiting";
    struct sided sided = {records, side};
    memset(side, 0, sizeof *side);
    const int result = query_each(query, NULL, point_sql, scope, take_point, &sided);
    return result ? result : query_each(query, NULL, causes_sql, scope, take_level, &sided);
}

/* ---- all steps ------------------------------------------------------------------------------- */

struct making {
    struct query *query;
    const struct records *records;
    struct text rows; /* of the table causes, to be inserted: ", (values)" each */
};

static int insert_rows(struct making *making)
{
    int result = making->rows.failed ? error_memory() : 0;
    if (!result && making->rows.length)
        result = query_write(making->query, "INSERT INTO causes VALUES %s",
                             text_string(&making->rows) + 1);
    text_free(&making->rows);
    return result;
}

int causes_row_values(struct text *values, const struct attribution_row *row, double change,
                      const char *evidence)
{
    const double saved = row->saved_ns, half = row->half_ns;
    const double value[] = {row->before_ns, row->after_ns, saved,
                            saved - half,   saved + half,  100 * saved / change};
    if (saved == 0 && !(row->before_ns > 0) && !(row->after_ns > 0)) return 0;
    text_format(values, "'%s'", row->cause);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        if (isfinite(value[i]))
            text_format(values, ", %.17g", value[i]);
        else
            text_append(values, ", NULL");
    }
    text_format(values, ", '%s'", attribution_status(row, evidence));
    return 1;
}

/* Statements that read are kept until something is written: many rows are inserted at once. */
static int add_row(struct making *making, const struct scope *step,
                   const struct attribution_row *row, double change)
{
    static const char *const keys[] = {"family", "variant", "size", "block", "sweep", "after"};
    enum { KEYS = sizeof keys / sizeof *keys, MUCH = 1 << 16 };
    struct text values = {0};
    const int told = causes_row_values(&values, row, change, scope_value(step, "evidence", NULL));
    for (int i = 0; told && i < KEYS; i++) {
        char *quoted = sqlite3_mprintf("%s%Q", i ? ", " : ",\n(", scope_value(step, keys[i], NULL));
        if (quoted)
            text_append(&making->rows, quoted);
        else
            making->rows.failed = 1;
        sqlite3_free(quoted);
    }
    if (told) text_format(&making->rows, ", %s)", text_string(&values));
    text_free_piece(&values, &making->rows);
    return making->rows.failed || making->rows.length > MUCH ? insert_rows(making) : 0;
}

static int add_step(void *context, const struct scope *step)
{
    struct making *making = context;
    struct attribution_side before, after;
    struct account account;
    const char *const name[] = {"variant", "sweep"};
    const char *const value[] = {scope_value(step, "after", NULL),
                                 scope_value(step, "prev_sweep", NULL)};
    const struct scope previous = {step, 2, name, value};
    int result = causes_side(making->query, making->records, &previous, &before);
    if (!result) result = causes_side(making->query, making->records, step, &after);
    if (result || before.count == 0 || after.count == 0)
        return result; /* no counters on one side: there is nothing to account for it with */
    attribution_make(&account, &before, &after);
    for (int i = 0; i < account.count && !result; i++)
        result = add_row(making, step, &account.row[i], before.time_ns - after.time_ns);
    return result;
}

/* What shows a cause at work, before and after. */
static int add_witnesses(struct query *query, const struct records *records)
{
    static const char sql[] =
        "UPDATE causes SET witness = %Q, witness_before = (SELECT m.%s FROM metrics m WHERE "
        "m.family = causes.family AND m.variant = causes.after AND"
        " m.size = causes.size AND m.block = causes.block AND m.best = 1), witness_after = (SELECT "
        "m.%s FROM metrics m WHERE m.family ="
        " causes.family AND m.variant = causes.variant AND m.size = causes.size AND m.block = "
        "causes.block AND m.sweep = causes.sweep) WHERE cause = %Q";
    int result = query_write(
        query,
        "ALTER TABLE causes ADD COLUMN witness; ALTER TABLE causes ADD COLUMN witness_before REAL;"
        "ALTER TABLE causes ADD COLUMN witness_after REAL");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *witness = record->kind == RECORD_CAUSE ? record_field(record, "witness") : NULL;
        if (witness) result = query_write(query, sql, witness, witness, witness, record->name);
    }
    return result;
}

#define STEP "family, variant, size, block"

/* A time inside a sentence. */
#define MICROSECONDS(ns) "replace(time_text(abs(" ns ")), ' us', ' µs')"

/* Shares of nearly nothing say nothing: where one is beyond this, in per cent, causes are told
 * by what they saved and cost. */
#define MOST_SHARE "150"

/* What a headline may name: the causes that are beyond their interval, and those two that have
 * none of their own. */
static const char ranked_sql[] =
    "CREATE TABLE headline_cause AS SELECT c.*, k.title, row_number() OVER (PARTITION BY " STEP
    " ORDER BY c.share_pct DESC) AS along,"
    " row_number() OVER (PARTITION BY " STEP
    " ORDER BY c.share_pct) AS against, row_number() OVER (PARTITION BY " STEP " ORDER BY"
    " abs(c.share_pct) DESC) AS place FROM causes c JOIN cause k USING (cause) WHERE c.status = "
    "'resolved' OR c.cause IN ('residual', 'clock')";

/* Per step: the causes that made most of the change, at most three, and the one that stood most
 * against it, by their shares; or, where causes nearly cancel, the four largest by their times.
 * Of both, those of a tenth or more of the change. */
static const char words_sql[] =
    "CREATE TABLE headline_words AS"
    " WITH said AS (SELECT " STEP ", group_concat(printf('%.0f %%', share_pct) || ' ' || title, ', "
    "') AS words FROM (SELECT * FROM headline_cause"
    " WHERE along <= 3 AND share_pct >= 10 ORDER BY along) GROUP BY " STEP "),"
    " against AS (SELECT " STEP ", printf('%.0f %%', share_pct) || ' ' || title AS words FROM "
    "headline_cause WHERE against = 1 AND share_pct <="
    " -10),"
    " times AS (SELECT " STEP ", group_concat(CASE cause WHEN 'residual' THEN 'what is not "
    "explained' ELSE title END || CASE WHEN saved_ns > 0"
    " THEN ' saved ' ELSE ' cost ' END || " MICROSECONDS(
        "saved_ns") ", ', ') AS words FROM (SELECT * FROM headline_cause WHERE place <= 4 AND"
                    " abs(share_pct) >= 10 ORDER BY place) GROUP BY " STEP
                    " HAVING max(abs(share_pct)) > " MOST_SHARE ")"
                    " SELECT " STEP ", sum(c.saved_ns) AS saved_ns, coalesce(s.words, 'no cause of "
                    "a tenth or more is beyond its interval') || coalesce(';"
                    " against that ' || a.words, '') AS shares, t.words AS times FROM causes c "
                    "LEFT JOIN said s USING (" STEP ") LEFT JOIN against a USING"
                    " (" STEP ") LEFT JOIN times t USING (" STEP ") GROUP BY " STEP;

/* Every number is a cell of steps or causes, or the sum of saved_ns. */
static const char headlines_sql[] =
    "CREATE TABLE headlines AS"
    " WITH said AS (SELECT s.*, w.shares, w.times, " MICROSECONDS(
        "w.saved_ns") " || CASE s.evidence WHEN 'faster' THEN ' saved' ELSE ' lost' END"
                      " AS change, printf(CASE WHEN abs(s.speedup_prev - 1) < 0.05 THEN '%.3f×' "
                      "ELSE '%.2f×' END, s.speedup_prev) AS ratio FROM steps s LEFT JOIN"
                      " headline_words w USING (" STEP "))"
                      " SELECT family, variant, size, block, sweep, after, CASE evidence WHEN 'not "
                      "measured' THEN 'Not measured.' WHEN 'no evidence' THEN"
                      " printf('No evidence of a change: %.3f×, 95 %% interval %.3f to %.3f, noise "
                      "floor %.2f %%.', speedup_prev, speedup_prev_low,"
                      " speedup_prev_high, floor_pct) ELSE CASE evidence WHEN 'faster' THEN ratio "
                      "|| ' faster' ELSE 'Slower, ' || ratio END || CASE WHEN shares IS"
                      " NULL THEN ';"
                      " counters to account for it are missing.' WHEN times IS NULL THEN ': of ' "
                      "|| change || ', ' || shares || '.' ELSE ', ' || change || ': ' ||"
                      " times || '.' END END AS headline FROM said ORDER BY family, CAST(size AS "
                      "INTEGER), size, variant, block";

int causes_make(struct query *query, const struct records *records)
{
    static const char
        table_sql[] = "CREATE TABLE causes(family TEXT, variant TEXT, size TEXT, block INTEGER, "
                      "sweep INTEGER, after TEXT, cause"
                      " TEXT, before_ns REAL, after_ns REAL, saved_ns REAL, low_ns REAL, high_ns "
                      "REAL, share_pct REAL, status"
                      " TEXT);"
                      " BEGIN",
        steps_sql[] = "SELECT s.*, (SELECT m.sweep FROM metrics m WHERE m.family = s.family AND "
                      "m.variant = s.after AND m.size ="
                      " s.size AND m.block = s.block AND m.best = 1) AS prev_sweep FROM steps s";
    struct making making = {.query = query, .records = records};
    int result = query_write(query, "%s", table_sql);
    if (!result) result = query_each(query, NULL, steps_sql, NULL, add_step, &making);
    if (!result) result = insert_rows(&making);
    text_free(&making.rows);
    if (!result) result = query_write(query, "COMMIT; CREATE INDEX causes_key ON causes(" STEP ")");
    if (!result) result = add_witnesses(query, records);
    if (!result) result = query_write(query, "%s", ranked_sql);
    if (!result) result = query_write(query, "%s", words_sql);
    return result ? result : query_write(query, "%s", headlines_sql);
}
