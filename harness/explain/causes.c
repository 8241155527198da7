#include "explain/causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/point_key.h"
#include "explain/cycle_ledger.h"
#include "explain/explain_tables.h"
#include "explain/headlines.sql.h"
#include "explain/levels.sql.h"

/* ---- levels ---------------------------------------------------------------------------------- */

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
        if (!cause) continue;
        if (!records_find(records, RECORD_CAUSE, cause))
            return error(FAIL_INPUT, "%s:%d: no cause is called '%s'", record->file,
                         record_line(record, "cause"), cause);
        result = query_write(query, "INSERT INTO term_cause VALUES(%Q, %Q)", record->name, cause);
    }
    if (!result) result = ledger_columns(query, "metrics", records);
    return result ? result : query_write(query, "%s", levels_sql);
}

/* ---- one side -------------------------------------------------------------------------------- */

struct making {
    struct query *query;
    const struct records *records;
    struct attribution_side *side;
};

static double number_or_nan(const char *value)
{
    return value ? strtod(value, NULL) : NAN;
}

static int take_point(void *context, const struct scope *row)
{
    struct attribution_side *side = ((struct making *)context)->side;
    side->time_ns = number_or_nan(row->value[0]);
    side->ghz = number_or_nan(row->value[1]);
    side->warps = number_or_nan(row->value[2]);
    return 0;
}

static int take_level(void *context, const struct scope *row)
{
    const struct making *making = context;
    struct attribution_side *side = making->side;
    const struct record *cause = records_find(making->records, RECORD_CAUSE, row->value[0]);
    if (!cause)
        return error(
            FAIL_INPUT,
            "ledger.csv: the term '%s' has no cause; 'whyfast explain RUN' recomputes the ledger",
            row->value[0]);
    if (side->count == ATTRIBUTION_CAUSES)
        return error(FAIL_INPUT, "ledger.csv: more than %d causes of one point",
                     ATTRIBUTION_CAUSES);
    side->level[side->count++] = (struct attribution_level){
        .cause = cause->name,
        .waiting = strtol(row->value[1], NULL, 10) != 0,
        .cycles = number_or_nan(row->value[2]),
        .half = number_or_nan(row->value[3]),
        .kind = strtol(row->value[4], NULL, 10)     ? LEVEL_BUSY
                : !strcmp(cause->name, "imbalance") ? LEVEL_IDLE
                                                    : LEVEL_OTHER,
    };
    return 0;
}

int causes_side(struct query *query, const struct records *records, const struct scope *scope,
                struct attribution_side *side)
{
    static const char point_sql[] = "SELECT time_ns, sm_clock_mhz / 1000, warps_active_pct "
                                    "FROM metrics WHERE " CAUSES_POINT;
    static const char causes_sql[] = "SELECT l.cause, l.waiting, l.cycles, l.half, l.busy "
                                     "FROM ledger_cause l LEFT JOIN cause c USING (cause) "
                                     "WHERE " CAUSES_POINT " ORDER BY c.place, l.waiting";
    struct making making = {query, records, side};
    memset(side, 0, sizeof *side);
    const int result = query_each(query, NULL, point_sql, scope, take_point, &making);
    return result ? result : query_each(query, NULL, causes_sql, scope, take_level, &making);
}

/* ---- all steps ------------------------------------------------------------------------------- */

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

/* A step without counters on one side has no causes. */
static int add_step(void *context, const struct scope *step)
{
    const struct making *making = context;
    struct attribution_side before, after;
    struct attribution attribution;
    const char *const name[] = {"variant", "sweep"};
    const char *const value[] = {scope_value(step, "after", NULL),
                                 scope_value(step, "prev_sweep", NULL)};
    const struct scope previous = {step, 2, name, value};
    int result = causes_side(making->query, making->records, &previous, &before);
    if (!result) result = causes_side(making->query, making->records, step, &after);
    if (result || before.count == 0 || after.count == 0) return result;
    attribution_make(&attribution, &before, &after);
    for (int i = 0; i < attribution.count && !result; i++) {
        struct text values = {0};
        if (causes_row_values(&values, &attribution.row[i], before.time_ns - after.time_ns,
                              scope_value(step, "evidence", NULL)))
            result = query_write(making->query,
                                 "INSERT INTO causes VALUES(%Q, %Q, %Q, %Q, %Q, %Q, %Q, %s, NULL, "
                                 "NULL, NULL)",
                                 POINT_KEYS(step), scope_value(step, "after", NULL),
                                 text_string(&values));
        if (values.failed) result = error_memory();
        text_free(&values);
    }
    return result;
}

/* The metric that shows a cause at work, before and after. */
static int add_witnesses(struct query *query, const struct records *records)
{
    static const char sql[] =
        "UPDATE causes SET witness = %Q, witness_before = (SELECT m.%s FROM metrics m WHERE "
        "m.family = causes.family AND m.variant = causes.after AND m.size = causes.size AND "
        "m.block = causes.block AND m.best = 1), witness_after = (SELECT m.%s FROM metrics m WHERE "
        "m.family = causes.family AND m.variant = causes.variant AND m.size = causes.size AND "
        "m.block = causes.block AND m.sweep = causes.sweep) WHERE cause = %Q";
    int result = 0;
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        const char *witness = record->kind == RECORD_CAUSE ? record_field(record, "witness") : NULL;
        if (witness) result = query_write(query, sql, witness, witness, witness, record->name);
    }
    return result;
}

int causes_make(struct query *query, const struct records *records)
{
    static const char table_sql[] =
        "CREATE TABLE causes(family TEXT, variant TEXT, size TEXT, block INTEGER, sweep INTEGER, "
        "device INTEGER, "
        "after TEXT, cause TEXT, before_ns REAL, after_ns REAL, saved_ns REAL, low_ns REAL, "
        "high_ns REAL, share_pct REAL, status TEXT, witness, witness_before REAL, witness_after "
        "REAL); BEGIN";
    static const char steps_sql[] =
        "SELECT s.*, (SELECT m.sweep FROM metrics m WHERE m.family = s.family AND m.variant = "
        "s.after AND m.size = s.size AND m.block = s.block AND m.best = 1) AS prev_sweep "
        "FROM steps s";
    struct making making = {query, records, NULL};
    int result = query_write(query, "%s", table_sql);
    if (!result) result = query_each(query, NULL, steps_sql, NULL, add_step, &making);
    if (!result)
        result = query_write(
            query, "COMMIT; CREATE INDEX causes_key ON causes(family, variant, size, block)");
    if (!result) result = add_witnesses(query, records);
    return result ? result : query_write(query, "%s", headlines_sql);
}
