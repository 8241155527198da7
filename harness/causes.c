#include "causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ledger.h"
#include "message.h"

#define POINT "family, variant, size, block, sweep"

/* ---- levels ------------------------------------------------------------------------------------------------------------------------------- */

/* Of every point: how many of its lanes take part, and which part of its waiting excess wavefronts and sectors have. What is not known tells nothing apart. */
static const char shares_sql[] =
    "CREATE TABLE ledger_share AS SELECT " POINT ", sm_clock_mhz / 1000 AS ghz, coalesce(warp_execution_efficiency_pct, 100) / 100 AS active,"
    " coalesce(predicated_on_pct, 100) / 100 AS lanes_on, coalesce(min(max(shared_excess_wavefronts / nullif(shared_wavefronts, 0), 0), 1), 0) AS conflict,"
    " coalesce(min(global_excess_sectors / nullif(global_load_sectors + local_sectors, 0), 1), 0) AS uncoalesced,"
    " coalesce(min(local_sectors / nullif(global_load_sectors + local_sectors, 0), 1), 0) AS spilled FROM metrics WHERE best = 1;"
    "CREATE INDEX ledger_share_key ON ledger_share(" POINT ");"
    /* Idle lanes in whole warps, taken from all but the useful work. */
    "CREATE TABLE ledger_idle AS SELECT l.family, l.variant, l.size, l.block, l.sweep, sum(l.cycles) AS issued, sum(CASE l.term WHEN 'work' THEN l.cycles ELSE 0 END) AS work,"
    " s.active, s.lanes_on FROM ledger l JOIN ledger_share s USING (" POINT ") WHERE l.part = 'issued' GROUP BY l.family, l.variant, l.size, l.block, l.sweep;"
    "ALTER TABLE ledger_idle ADD COLUMN divergence; ALTER TABLE ledger_idle ADD COLUMN predication; ALTER TABLE ledger_idle ADD COLUMN kept;"
    "UPDATE ledger_idle SET divergence = min(issued * (1 - active), issued - work);"
    "UPDATE ledger_idle SET predication = min(issued * active * (1 - lanes_on), issued - work - divergence);"
    "UPDATE ledger_idle SET kept = CASE WHEN issued > work THEN (issued - work - divergence - predication) / (issued - work) ELSE 1 END;"
    "CREATE INDEX ledger_idle_key ON ledger_idle(" POINT ")";

static const char levels_sql[] =
    "CREATE TABLE ledger_cause AS WITH rows AS (SELECT l.family, l.variant, l.size, l.block, l.sweep, l.part, l.term, coalesce(t.cause, l.term) AS cause, l.cycles,"
    " (l.high_ns - l.low_ns) / 2 * s.ghz AS half, s.conflict, s.uncoalesced, s.spilled FROM ledger l JOIN ledger_share s USING (" POINT ") LEFT JOIN term_cause t ON t.term ="
    " l.term WHERE l.part <> 'elapsed'),"
    " parts AS ("
    " SELECT r.family, r.variant, r.size, r.block, r.sweep, r.cause, 0 AS waiting, r.cycles * CASE r.term WHEN 'work' THEN 1 ELSE i.kept END AS cycles, r.half FROM rows r JOIN"
    "  ledger_idle i USING (" POINT ") WHERE r.part = 'issued'"
    " UNION ALL SELECT " POINT ", 'divergence', 0, divergence, 0 FROM ledger_idle UNION ALL SELECT " POINT ", 'predication', 0, predication, 0 FROM ledger_idle"
    " UNION ALL SELECT " POINT ", 'bank_conflicts', 0, cycles * conflict, half * conflict FROM rows WHERE part = 'stalled' AND cause = 'shared_memory'"
    " UNION ALL SELECT " POINT ", 'uncoalesced', 0, cycles * uncoalesced, half * uncoalesced FROM rows WHERE part = 'stalled' AND cause = 'global_memory'"
    " UNION ALL SELECT " POINT ", 'spills', 0, cycles * spilled, half * spilled FROM rows WHERE part = 'stalled' AND cause = 'global_memory'"
    " UNION ALL SELECT " POINT ", cause, cause IN ('global_memory', 'dependencies'), cycles * CASE cause WHEN 'shared_memory' THEN 1 - conflict WHEN 'global_memory' THEN 1 -"
    "  uncoalesced - spilled ELSE 1 END, half FROM rows WHERE part = 'stalled'"
    " UNION ALL SELECT " POINT ", cause, 0, cycles, half FROM rows WHERE part IN ('empty', 'residual'))"
    " SELECT " POINT ", cause, waiting, sum(cycles) AS cycles, sqrt(sum(half * half)) AS half FROM parts GROUP BY " POINT ", cause, waiting;"
    "CREATE INDEX ledger_cause_key ON ledger_cause(" POINT ")";

int causes_names(struct query *query, const struct records *records)
{
    int result = query_write(query, "CREATE TABLE cause(cause TEXT PRIMARY KEY, place INTEGER, title, area, means, witness)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_CAUSE)
            result = query_write(query, "INSERT INTO cause VALUES(%Q, %d, %Q, %Q, %Q, %Q)", record->name, i, record_field(record, "title"), record_field(record, "area"),
                                 record_field(record, "means"), record_field(record, "witness"));
    }
    return result;
}

int causes_levels(struct query *query, const struct records *records)
{
    int result = causes_names(query, records);
    if (!result) result = query_write(query, "CREATE TABLE term_cause(term TEXT PRIMARY KEY, cause)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *cause = record->kind == RECORD_TERM ? record_field(record, "cause") : NULL;
        if (cause && !records_find(records, RECORD_CAUSE, cause))
            return error(FAIL_INPUT, "%s:%d: no cause is called '%s'", record->file, record_line(record, "cause"), cause);
        if (cause) result = query_write(query, "INSERT INTO term_cause VALUES(%Q, %Q)", record->name, cause);
    }
    if (!result) result = ledger_columns(query, "metrics", records);
    if (!result) result = query_write(query, "%s", shares_sql);
    return result ? result : query_write(query, "%s", levels_sql);
}

/* ---- one side ------------------------------------------------------------------------------------------------------------------------------- */

struct sided {
    const struct records *records;
    struct account_side *side;
};

static double number_or_nan(const char *value)
{
    return value ? strtod(value, NULL) : NAN;
}

static int take_point(void *context, const struct scope *row)
{
    struct account_side *side = ((struct sided *)context)->side;
    side->time_ns = number_or_nan(row->value[0]);
    side->ghz = number_or_nan(row->value[1]);
    side->warps = number_or_nan(row->value[2]);
    return 0;
}

static int take_level(void *context, const struct scope *row)
{
    const struct sided *sided = context;
    const struct record *cause = records_find(sided->records, RECORD_CAUSE, row->value[0]);
    if (!cause) return error(FAIL_INPUT, "ledger.csv: the term '%s' leads to no cause; 'whyfast explain RUN' makes the ledger anew", row->value[0]);
    if (sided->side->count == ACCOUNT_CAUSES) return error(FAIL_INPUT, "ledger.csv: more than %d causes of one point", ACCOUNT_CAUSES);
    sided->side->level[sided->side->count++] = (struct account_level){cause->name, strtol(row->value[1], NULL, 10) != 0, number_or_nan(row->value[2]), number_or_nan(row->value[3])};
    return 0;
}

#define THIS_POINT "family = :family AND variant = :variant AND size = :size AND block = CAST(:block AS INTEGER) AND sweep = CAST(:sweep AS INTEGER)"

int causes_side(struct query *query, const struct records *records, const struct scope *scope, struct account_side *side)
{
    struct sided sided = {records, side};
    memset(side, 0, sizeof *side);
    int result = query_each(query, NULL, "SELECT time_ns, sm_clock_mhz / 1000, warps_active_pct FROM metrics WHERE " THIS_POINT, scope, take_point, &sided);
    if (!result)
        result = query_each(query, NULL, "SELECT l.cause, l.waiting, l.cycles, l.half FROM ledger_cause l LEFT JOIN cause c ON c.cause = l.cause WHERE " THIS_POINT
                                         " ORDER BY c.place", scope, take_level, &sided);
    return result;
}

/* ---- all steps ------------------------------------------------------------------------------------------------------------------------------ */

struct making {
    struct query *query;
    const struct records *records;
};

/* A row of the account; a change that is nothing on both sides is none. NULL for what is not known. */
static int insert_row(struct query *query, const struct scope *step, const struct account_row *row, double change)
{
    const char *key[7] = {"family", "variant", "size", "block", "sweep", "after", "evidence"};
    char number[6][32];
    const double value[6] = {row->before_ns, row->after_ns, row->saved_ns, row->saved_ns - row->half_ns, row->saved_ns + row->half_ns, 100 * row->saved_ns / change};
    if (row->saved_ns == 0 && !(row->before_ns > 0) && !(row->after_ns > 0)) return 0;
    for (int i = 0; i < 7; i++) key[i] = scope_value(step, key[i], NULL);
    for (int i = 0; i < 6; i++) snprintf(number[i], sizeof number[i], isfinite(value[i]) ? "%.17g" : "NULL", value[i]);
    return query_write(query, "INSERT INTO causes VALUES(%Q, %Q, %Q, %Q, %Q, %Q, %Q, %s, %s, %s, %s, %s, %s, %Q)", key[0], key[1], key[2], key[3], key[4], key[5],
                       row->cause, number[0], number[1], number[2], number[3], number[4], number[5], account_status(row, key[6]));
}

static int add_step(void *context, const struct scope *step)
{
    const struct making *making = context;
    struct account_side before, after;
    struct account account;
    const char *const name[] = {"variant", "sweep"};
    const char *const value[] = {scope_value(step, "after", NULL), scope_value(step, "prev_sweep", NULL)};
    const struct scope previous = {step, 2, name, value};
    int result = causes_side(making->query, making->records, &previous, &before);
    if (!result) result = causes_side(making->query, making->records, step, &after);
    if (result || before.count == 0 || after.count == 0) return result; /* no counters on one side: there is nothing to account for it with */
    account_make(&account, &before, &after);
    for (int i = 0; i < account.count && !result; i++) result = insert_row(making->query, step, &account.row[i], before.time_ns - after.time_ns);
    return result;
}

/* What shows a cause at work, before and after. */
static int add_witnesses(struct query *query, const struct records *records)
{
    int result = query_write(query, "ALTER TABLE causes ADD COLUMN witness; ALTER TABLE causes ADD COLUMN witness_before REAL; ALTER TABLE causes ADD COLUMN witness_after REAL");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *witness = record->kind == RECORD_CAUSE ? record_field(record, "witness") : NULL;
        if (!witness) continue;
        result = query_write(query,
                             "UPDATE causes SET witness = %Q, witness_before = (SELECT m.%s FROM metrics m WHERE m.family = causes.family AND m.variant = causes.after AND m.size ="
                             " causes.size AND m.block = causes.block AND m.best = 1), witness_after = (SELECT m.%s FROM metrics m WHERE m.family = causes.family AND m.variant ="
                             " causes.variant AND m.size = causes.size AND m.block = causes.block AND m.sweep = causes.sweep) WHERE cause = %Q", witness, witness, witness, record->name);
    }
    return result;
}

/* The causes that made most of the change, at most three, and the one that stood most against it. Every number is a cell of steps or causes. */
static const char headlines_sql[] =
    "CREATE TABLE headlines AS WITH ranked AS (SELECT c.*, k.title, row_number() OVER (PARTITION BY c.family, c.variant, c.size ORDER BY c.share_pct DESC) AS first,"
    " row_number() OVER (PARTITION BY c.family, c.variant, c.size ORDER BY c.share_pct) AS last FROM causes c JOIN cause k USING (cause) WHERE c.status = 'resolved' OR c.cause ="
    " 'residual'),"
    " said AS (SELECT family, variant, size, group_concat(printf('%%.0f %%%%', share_pct) || ' ' || title, ', ') AS words FROM (SELECT * FROM ranked WHERE first <= 3 AND share_pct >= 10"
    " ORDER BY family, variant, size, first) GROUP BY family, variant, size),"
    " against AS (SELECT family, variant, size, printf('%%.0f %%%%', share_pct) || ' ' || title AS words FROM ranked WHERE last = 1 AND share_pct <= -10),"
    " change AS (SELECT family, variant, size, sum(saved_ns) AS saved_ns FROM causes GROUP BY family, variant, size)"
    " SELECT s.family, s.variant, s.size, s.block, s.sweep, s.after, CASE s.evidence WHEN 'not measured' THEN 'Not measured.' WHEN 'no evidence' THEN printf('No evidence of a change:"
    " %%.3f×, 95 %%%% interval %%.3f to %%.3f, noise floor %%.2f %%%%.', s.speedup_prev, s.speedup_prev_low, s.speedup_prev_high, s.floor_pct)"
    " ELSE CASE s.evidence WHEN 'faster' THEN printf('%%.2f× faster', s.speedup_prev) ELSE printf('Slower, %%.2f×', s.speedup_prev) END ||"
    " coalesce(': of ' || human(round(abs(d.saved_ns) / 1e3, 2)) || ' µs ' || CASE s.evidence WHEN 'faster' THEN 'saved, ' ELSE 'lost, ' END || coalesce(a.words, 'no"
    " cause has a tenth') || coalesce('; against that ' || g.words, '') || '.', '; counters to account for it are missing.') END AS headline"
    " FROM steps s LEFT JOIN said a USING (family, variant, size) LEFT JOIN against g USING (family, variant, size) LEFT JOIN change d USING (family, variant, size)"
    " ORDER BY s.family, CAST(s.size AS INTEGER), s.size, s.variant";

int causes_make(struct query *query, const struct records *records)
{
    struct making making = {query, records};
    int result = query_write(query, "CREATE TABLE causes(" POINT ", after, cause, before_ns REAL, after_ns REAL, saved_ns REAL, low_ns REAL, high_ns REAL, share_pct REAL, status)");
    if (!result) result = query_write(query, "BEGIN");
    if (!result)
        result = query_each(query, NULL, "SELECT s.*, (SELECT m.sweep FROM metrics m WHERE m.family = s.family AND m.variant = s.after AND m.size = s.size AND m.block = s.block AND"
                                         " m.best = 1) AS prev_sweep FROM steps s", NULL, add_step, &making);
    if (!result) result = query_write(query, "COMMIT");
    if (!result) result = query_write(query, "CREATE INDEX causes_key ON causes(family, variant, size)");
    if (!result) result = add_witnesses(query, records);
    return result ? result : query_write(query, headlines_sql);
}
