#include "explain/causes.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "explain/cause_lines.sql.h"
#include "explain/counterfactual.h"
#include "explain/cycle_ledger.h"
#include "explain/explain_tables.h"
#include "explain/levels.sql.h"
#include "explain/said.sql.h"
#include "explain/time_features.sql.h"

/* ---- levels ---------------------------------------------------------------------------------- */

int causes_names(struct query *query, const struct records *records)
{
    int count = 0, result = query_write(query, "CREATE TABLE area(area TEXT PRIMARY KEY, place "
                                               "INTEGER, title); "
                                               "CREATE TABLE cause(cause TEXT PRIMARY KEY, place "
                                               "INTEGER, title, area, means, witness, "
                                               "costs, within)");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_AREA)
            result = query_write(query, "INSERT INTO area VALUES(%Q, %d, %Q)", record->name, i,
                                 record_field(record, "title"));
        if (record->kind != RECORD_CAUSE) continue;
        if (!records_find(records, RECORD_AREA, record_field(record, "area")))
            return error(FAIL_INPUT, "%s:%d: no area is called '%s'", record->file,
                         record_line(record, "area"), record_field(record, "area"));
        if (++count > COUNTERFACTUAL_ROWS)
            return error(FAIL_INPUT, "%s:%d: more than %d causes", record->file, record->line,
                         COUNTERFACTUAL_ROWS);
        result = query_write(query, "INSERT INTO cause VALUES(%Q, %d, %Q, %Q, %Q, %Q, %Q, %Q)",
                             record->name, i, record_field(record, "title"),
                             record_field(record, "area"), record_field(record, "means"),
                             record_field(record, "witness"), record_field(record, "costs"),
                             record_field(record, "within"));
    }
    return result;
}

int causes_levels(struct query *query, const struct records *records)
{
    int result = causes_names(query, records);
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *cause = record->kind == RECORD_TERM ? record_field(record, "cause") : NULL;
        if (cause && !records_find(records, RECORD_CAUSE, cause))
            result = error(FAIL_INPUT, "%s:%d: no cause is called '%s'", record->file,
                           record_line(record, "cause"), cause);
    }
    if (!result) result = ledger_columns(query, "metrics", records);
    return result ? result : query_write(query, "%s", levels_sql);
}

/* ---- one point ------------------------------------------------------------------------------- */

int causes_features(struct query *query)
{
    return query_write(query, "%s", time_features_sql);
}

int causes_lines(struct query *query)
{
    return query_write(query, "%s", cause_lines_sql);
}

struct reading {
    const struct records *records;
    struct time_point *point;
};

static int take_feature(void *context, const struct scope *row)
{
    const struct reading *reading = context;
    struct time_point *point = reading->point;
    const double value = row->value[2] ? strtod(row->value[2], NULL) : NAN;
    if (!strcmp(row->value[0], "time_ns")) {
        point->time_ns = value;
        return 0;
    }
    int input = 0;
    while (input < FEATURE_INPUTS && strcmp(time_input_names[input], row->value[0])) input++;
    const struct record *cause =
        row->value[1] ? records_find(reading->records, RECORD_CAUSE, row->value[1]) : NULL;
    if (input == FEATURE_INPUTS || !cause)
        return error(FAIL_INPUT,
                     "features.csv: '%s' of '%s' is unknown; 'whyfast evaluate RUN' recomputes it",
                     row->value[0], row->value[1] ? row->value[1] : "");
    if (point->count == TIME_FEATURES_READ)
        return error(FAIL_INPUT, "features.csv: more than %d features of one point",
                     TIME_FEATURES_READ);
    point->feature[point->count++] =
        (struct time_feature){(enum time_input)input, cause->name, value};
    return 0;
}

int causes_point(struct query *query, const struct records *records, const struct scope *scope,
                 struct time_point *point)
{
    static const char sql[] = "SELECT input, cause, value FROM features WHERE " CAUSES_POINT;
    struct reading reading = {records, point};
    memset(point, 0, sizeof *point);
    return query_each(query, NULL, sql, scope, take_feature, &reading);
}

/* ---- one change ------------------------------------------------------------------------------ */

/* The detail that makes up at least half of what the details of a cause move, in the direction of
 * the whole; NULL if none does. */
static const struct record *leading_detail(const struct counterfactual *result, int cause)
{
    const struct counterfactual_row *whole = &result->row[cause], *most = NULL;
    double moved = 0, sum = 0;
    for (int i = 0; i < result->count; i++) {
        const struct counterfactual_row *row = &result->row[i];
        if (!row->within || strcmp(row->within, whole->cause->name)) continue;
        sum += row->saved_ns;
        moved += fabs(row->saved_ns);
        if (row->saved_ns * whole->saved_ns > 0 &&
            (!most || fabs(row->saved_ns) > fabs(most->saved_ns)))
            most = row;
    }
    moved += fabs(whole->saved_ns - sum);
    return most && fabs(most->saved_ns) >= moved / 2 ? most->cause : NULL;
}

/* Returns the number as SQL; NULL if it is unknown. */
static const char *sql_number(char buffer[32], double value)
{
    snprintf(buffer, 32, "%.17g", value);
    return isfinite(value) ? buffer : "NULL";
}

static int insert_detail(struct query *query, const struct counterfactual_row *row, double change,
                         const char *key)
{
    char share[32];
    return query_write(query, "INSERT INTO details VALUES(%s, %Q, %Q, %.17g, %s)", key, row->within,
                       row->cause->name, row->saved_ns,
                       sql_number(share, 100 * row->saved_ns / change));
}

static int insert_cause(struct query *query, const struct counterfactual *result, int i,
                        const struct causes_change *change, const char *key)
{
    const struct counterfactual_row *row = &result->row[i];
    const struct record *detail = leading_detail(result, i), *shown = detail ? detail : row->cause;
    const int is_model =
        !strcmp(row->cause->name, "interaction") || !strcmp(row->cause->name, "residual");
    const char *evidence = change->evidence;
    char low[32], high[32], share[32];
    const int is_change = !strcmp(evidence, "faster") || !strcmp(evidence, "slower");
    const char *status = is_model                                ? "model"
                         : !is_change                            ? evidence
                         : fabs(row->saved_ns) > change->half_ns ? "resolved"
                                                                 : "unresolved";
    return query_write(query,
                       "INSERT INTO causes VALUES(%s, %Q, %Q, %.17g, %s, %s, %s, %Q, %Q, NULL, "
                       "NULL, NULL, NULL)",
                       key, row->cause->name, detail ? detail->name : NULL, row->saved_ns,
                       sql_number(low, row->saved_ns - change->half_ns),
                       sql_number(high, row->saved_ns + change->half_ns),
                       sql_number(share, 100 * row->saved_ns / change->saved_ns), status,
                       record_field(shown, "witness"));
}

/* A row below `least` is rounding; so are the details of a cause below it, which cancel out. The
 * interaction and the residual, which come last, are always listed. */
static int is_listed(const struct counterfactual *result, int i, double least)
{
    const struct counterfactual_row *row = &result->row[i];
    if (i >= result->count - 2) return 1;
    for (int j = 0; row->within && j < result->count; j++)
        if (!strcmp(result->row[j].cause->name, row->within) &&
            fabs(result->row[j].saved_ns) < least)
            return 0;
    return fabs(row->saved_ns) >= least;
}

int causes_insert(struct query *query, const struct records *records,
                  const struct time_point *before, const struct time_point *after,
                  const struct causes_change *change, const char *key)
{
    const double least = 1e-9 * before->time_ns;
    struct counterfactual result;
    int failed = 0;
    if (!before->count || !after->count) return 0;
    counterfactual_make(&result, records, before, after);
    for (int i = 0; i < result.count; i++)
        if (!isfinite(result.row[i].saved_ns)) return 0;
    for (int i = 0; i < result.count && !failed; i++) {
        const struct counterfactual_row *row = &result.row[i];
        if (!is_listed(&result, i, least)) continue;
        failed = row->within ? insert_detail(query, row, change->saved_ns, key)
                             : insert_cause(query, &result, i, change, key);
    }
    return failed;
}

int causes_check_witnesses(struct query *query)
{
    return query_write(
        query,
        "UPDATE causes SET status = CASE WHEN abs(witness_before - witness_after) < 0.005 * "
        "max(abs(witness_before), abs(witness_after)) OR witness_before = witness_after THEN "
        "'its witness stood still' ELSE 'its witness moved the other way' END WHERE status "
        "= 'resolved' AND witness_before IS NOT NULL AND witness_after IS NOT NULL AND "
        "coalesce((SELECT CASE k.costs WHEN 'more' THEN 1 ELSE -1 END FROM cause k "
        "WHERE k.cause = coalesce(causes.detail, causes.cause)) "
        "* (witness_before - witness_after) * sign(saved_ns) "
        "<= 0.005 * max(abs(witness_before), abs(witness_after)), 1)");
}

/* ---- all steps ------------------------------------------------------------------------------- */

struct making {
    struct query *query;
    const struct records *records;
};

static double number_of(const struct scope *step, const char *name)
{
    const char *value = scope_value(step, name, NULL);
    return value ? strtod(value, NULL) : NAN;
}

/* A step without counters on one side has no causes. */
static int add_step(void *context, const struct scope *step)
{
    const struct making *making = context;
    struct time_point before, after;
    const char *const name[] = {"variant", "block", "sweep"};
    const char *const value[] = {scope_value(step, "after", NULL),
                                 scope_value(step, "prev_block", NULL),
                                 scope_value(step, "prev_sweep", NULL)};
    const struct scope previous = {step, 3, name, value};
    int result = causes_point(making->query, making->records, &previous, &before);
    if (!result) result = causes_point(making->query, making->records, step, &after);
    if (result) return result;
    const struct causes_change change = {
        before.time_ns - after.time_ns,
        causes_half_ns(before.time_ns, number_of(step, "before_half_ns"), after.time_ns,
                       number_of(step, "after_half_ns")),
        scope_value(step, "evidence", NULL)};
    char *key = sqlite3_mprintf("%Q, %Q, %Q, %Q, %Q, %Q, %Q", POINT_KEYS(step),
                                scope_value(step, "after", NULL));
    if (!key) return error_memory();
    result = causes_insert(making->query, making->records, &before, &after, &change, key);
    sqlite3_free(key);
    return result;
}

double causes_half_ns(double before_ns, double before_half_ns, double after_ns,
                      double after_half_ns)
{
    const double model = 0.01 * (before_ns + after_ns) / 2;
    return sqrt(before_half_ns * before_half_ns + after_half_ns * after_half_ns + model * model);
}

int causes_tables(struct query *query)
{
    return query_write(
        query,
        "CREATE TABLE causes(family TEXT, variant TEXT, size TEXT, block INTEGER, sweep INTEGER, "
        "device INTEGER, after TEXT, cause TEXT, detail TEXT, saved_ns REAL, low_ns REAL, "
        "high_ns REAL, share_pct REAL, status TEXT, witness, witness_before REAL, witness_after "
        "REAL, line_before TEXT, line_after TEXT); CREATE TABLE details(family TEXT, variant TEXT, "
        "size TEXT, block INTEGER, sweep "
        "INTEGER, device INTEGER, after TEXT, cause TEXT, detail TEXT, saved_ns REAL, share_pct "
        "REAL)");
}

/* The metrics that show causes at work, before and after. */
static int add_witnesses(struct query *query, const struct records *records)
{
    static const char sql[] =
        "UPDATE causes SET witness_before = (SELECT m.%s FROM metrics m WHERE "
        "m.family = causes.family AND m.variant = causes.after AND m.size = causes.size AND "
        "m.best = 1), witness_after = (SELECT m.%s FROM metrics m WHERE "
        "m.family = causes.family AND m.variant = causes.variant AND m.size = causes.size AND "
        "m.block = causes.block AND m.sweep = causes.sweep) WHERE coalesce(detail, cause) = %Q";
    int result = 0;
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *witness = record->kind == RECORD_CAUSE ? record_field(record, "witness") : NULL;
        if (witness) result = query_write(query, sql, witness, witness, record->name);
    }
    return result ? result : causes_check_witnesses(query);
}

/* The lines at which the causes happened. */
static int add_lines(struct query *query)
{
    return query_write(
        query, "UPDATE causes SET line_before = (SELECT l.path || ':' || l.line FROM cause_lines l "
               "WHERE l.family = causes.family AND l.variant = causes.after AND "
               "l.cause = coalesce(causes.detail, causes.cause)), "
               "line_after = (SELECT l.path || ':' || l.line FROM cause_lines l WHERE "
               "l.family = causes.family AND l.variant = causes.variant AND "
               "l.cause = coalesce(causes.detail, causes.cause)) WHERE status = 'resolved'");
}

int causes_make(struct query *query, const struct records *records)
{
    static const char steps_sql[] =
        "SELECT s.*, b.block AS prev_block, b.sweep AS prev_sweep, (b.time_high_ns - "
        "b.time_low_ns) / 2 AS "
        "before_half_ns, (m.time_high_ns - m.time_low_ns) / 2 AS after_half_ns FROM steps s "
        "JOIN metrics m USING (" POINT_KEY ") LEFT JOIN metrics b ON b.family = s.family AND "
        "b.variant = s.after AND b.size = s.size AND b.best = 1";
    struct making making = {query, records};
    int result = causes_tables(query);
    if (!result) result = query_write(query, "BEGIN");
    if (!result) result = query_each(query, NULL, steps_sql, NULL, add_step, &making);
    if (!result)
        result = query_write(
            query,
            "COMMIT; CREATE INDEX causes_key ON causes(family, variant, size, block, after)");
    if (!result) result = add_witnesses(query, records);
    if (!result) result = add_lines(query);
    return result ? result : causes_said(query);
}

int causes_said(struct query *query)
{
    return query_write(query, "%s", said_sql);
}
