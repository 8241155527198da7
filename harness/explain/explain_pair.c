#include "explain/explain_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "explain/causes.h"
#include "explain/explain.h"
#include "query/variant_names.h"

static const char *const fact_names[SIDE_FACTS] = {
    "family",  "variant",     "size",         "block",     "sweep",
    "time_ns", "time_low_ns", "time_high_ns", "floor_pct", "title"};

static int side_open(struct side *side, const struct run *run, const struct records *records,
                     const char *word)
{
    static const enum table_id needed[] = {TABLE_FAMILIES, TABLE_VARIANTS, TABLE_METRICS,
                                           TABLE_LEDGER};
    static const struct variant_names_search search = {
        "SELECT DISTINCT family || '/' || variant FROM ledger ORDER BY 1", "ledger"};
    int result = query_open(&side->query, run);
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(&side->query, needed[i]);
    if (!result) result = causes_levels(&side->query, records);
    return result ? result : variant_names_find(&side->query, &search, word, &side->name);
}

static void side_close(struct side *side)
{
    for (int i = 0; i < SIDE_FACTS; i++) free(side->fact[i]);
    free(side->name);
    query_close(&side->query);
}

double side_number(const struct side *side, enum side_fact fact)
{
    return side->fact[fact] ? strtod(side->fact[fact], NULL) : NAN;
}

/* ---- which points ---------------------------------------------------------------------------- */

/* A size, its place in the order of choice. */
struct sizes {
    struct query *to;
    const char *table;
};

static int add_size(void *context, const struct scope *row)
{
    const struct sizes *sizes = context;
    return query_write(sizes->to, "INSERT INTO %s VALUES(%Q, %Q, %Q)", sizes->table, row->value[0],
                       row->value[1], row->value[2]);
}

static int list_sizes(struct side *side, struct query *to, const char *table)
{
    static const char sql[] = "SELECT l.size, max(m.useful_bytes), max(l.size = f.lines_size) FROM "
                              "ledger l JOIN metrics m USING (family,"
                              " variant, size, block, sweep) LEFT JOIN families f USING (family) "
                              "WHERE l.family || '/' || l.variant = :name GROUP"
                              " BY l.size";
    const char *const name[] = {"name"}, *const value[] = {side->name};
    const struct scope scope = {NULL, 1, name, value};
    struct sizes sizes = {to, table};
    const int result =
        query_write(to, "CREATE TABLE %s(size TEXT, bytes REAL, is_lines INTEGER)", table);
    return result ? result : query_each(&side->query, NULL, sql, &scope, add_size, &sizes);
}

/* The size at which they are compared, which the caller frees. */
static int choose_size(struct side *before, struct side *after, const char *asked, char **size)
{
    static const char sql[] = "SELECT size FROM sizes_before JOIN sizes_after a USING (size) WHERE "
                              ":asked IS NULL OR size = :asked ORDER BY"
                              " a.is_lines DESC, a.bytes DESC LIMIT 1";
    char digits[72] = "";
    struct query *to = &after->query;
    int result = asked ? size_digits(asked, digits) : 0;
    if (!result) result = list_sizes(before, to, "sizes_before");
    if (!result) result = list_sizes(after, to, "sizes_after");
    const char *const name[] = {"asked"}, *const value[] = {asked ? digits : NULL};
    const struct scope scope = {NULL, 1, name, value};
    if (!result) result = query_text(to, NULL, sql, &scope, size);
    if (!result && !*size)
        result =
            error(FAIL_USAGE, "%s and %s have no size%s%s in common at which both have a ledger",
                  before->name, after->name, asked ? " " : "", digits);
    return result;
}

static int keep_facts(void *context, const struct scope *row)
{
    struct side *side = context;
    for (int i = 0; i < SIDE_FACTS; i++) {
        if (side->fact[i] || !row->value[i]) continue;
        side->fact[i] = strdup(row->value[i]);
        if (!side->fact[i]) return error_memory();
    }
    return 0;
}

/* The ledger must be of the times that stand beside it: those may have been evaluated anew. */
static int check_ledger(struct side *side, const struct scope *point)
{
    static const char sql[] = "SELECT 1 FROM ledger WHERE " CAUSES_POINT
                              " AND term = 'elapsed' AND abs(ns - :time_ns) <= 1e-6 * :time_ns";
    char *same = NULL;
    int result = query_text(&side->query, NULL, sql, point, &same);
    const char *path = side->query.run->path;
    if (!result && !same)
        result = error(FAIL_INPUT,
                       "%s/ledger.csv: not of the times in metrics.csv;"
                       " 'whyfast explain %s' makes it anew",
                       path, path);
    free(same);
    return result;
}

/* The block is told where it tells points apart. */
static int side_take(struct side *side, const struct records *records, const char *size)
{
    static const char sql[] =
        "SELECT m.family, m.variant, m.size, m.block, m.sweep, m.time_ns, m.time_low_ns, "
        "m.time_high_ns, m.floor_pct, v.rung || ' ' || v.title ||"
        " coalesce(', ' || v.sweep_name || ' ' || nullif(m.sweep, 0), '') || CASE WHEN (SELECT "
        "count(DISTINCT block) FROM metrics) > 1 THEN ',"
        " block ' || m.block ELSE '' END AS title"
        " FROM metrics m JOIN variants v USING (family, variant) WHERE m.family || '/' || "
        "m.variant = :name AND m.size = :size AND m.best = 1 AND"
        " EXISTS (SELECT 1 FROM ledger l WHERE l.family = m.family AND l.variant = m.variant AND "
        "l.size = m.size AND l.block = m.block AND"
        " l.sweep = m.sweep) ORDER BY m.time_ns LIMIT 1";
    const char *const name[] = {"name", "size"}, *const value[] = {side->name, size};
    const struct scope scope = {NULL, 2, name, value};
    int result = query_each(&side->query, NULL, sql, &scope, keep_facts, side);
    if (!result && !side->fact[TIME])
        result = error(FAIL_INPUT, "%s: %s has a ledger at size %s, but no time",
                       side->query.run->path, side->name, size);
    const struct scope point = {NULL, SIDE_FACTS, fact_names, (const char *const *)side->fact};
    if (!result) result = check_ledger(side, &point);
    return result ? result : causes_side(&side->query, records, &point, &side->levels);
}

/* ---- the account ----------------------------------------------------------------------------- */

static void judge(struct explain_pair *difference)
{
    const struct side *before = &difference->before, *after = &difference->after;
    difference->ratio = side_number(before, TIME) / side_number(after, TIME);
    difference->low = side_number(before, TIME_LOW) / side_number(after, TIME_HIGH);
    difference->high = side_number(before, TIME_HIGH) / side_number(after, TIME_LOW);
    const double floor_before = side_number(before, FLOOR), floor_after = side_number(after, FLOOR);
    difference->floor_pct = isnan(floor_before) || floor_before > floor_after
                                ? floor_before
                                : floor_after; /* not known of one: not known */
    const double floor = difference->floor_pct / 100;
    difference->evidence =
        !isfinite(difference->low) || !isfinite(difference->high) || !isfinite(floor)
            ? "not measured"
        : difference->low > 1 + floor  ? "faster"
        : difference->high < 1 - floor ? "slower"
                                       : "no evidence";
}

/* What shows a cause at work, of one side. */
static int witness_of(struct side *side, const struct record *cause, char **value)
{
    const char *witness = cause ? record_field(cause, "witness") : NULL;
    *value = NULL;
    if (!witness) return 0;
    const struct scope point = {NULL, SIDE_FACTS, fact_names, (const char *const *)side->fact};
    char *place = text_new("%s:%d", cause->file, record_line(cause, "witness"));
    char *sql = text_new("SELECT (%s) FROM metrics WHERE " CAUSES_POINT, witness);
    const int result =
        place && sql ? query_text(&side->query, place, sql, &point, value) : error_memory();
    free(place);
    free(sql);
    return result;
}

static int insert_row(struct explain_pair *difference, const struct attribution_row *row,
                      double change)
{
    const struct record *cause = records_find(&difference->records, RECORD_CAUSE, row->cause);
    struct text values = {0};
    char *was = NULL, *is = NULL;
    int result = 0;
    if (causes_row_values(&values, row, change, difference->evidence)) {
        result = witness_of(&difference->before, cause, &was);
        if (!result) result = witness_of(&difference->after, cause, &is);
        if (!result && values.failed) result = error_memory();
        if (!result)
            result = query_write(
                &difference->after.query,
                "INSERT INTO difference VALUES(%s, %Q, %Q, CAST(%Q AS REAL), CAST(%Q AS REAL))",
                text_string(&values), cause ? record_field(cause, "title") : row->cause,
                cause ? record_field(cause, "witness") : NULL, was, is);
    }
    free(was);
    free(is);
    text_free(&values);
    return result;
}

static int make_table(struct explain_pair *difference)
{
    static const char sql[] = "CREATE TABLE difference(cause TEXT, before_ns REAL, after_ns REAL, "
                              "saved_ns REAL, low_ns REAL, high_ns REAL,"
                              " share_pct REAL, status TEXT, title TEXT, witness TEXT, "
                              "witness_before REAL, witness_after REAL)";
    const double change =
        side_number(&difference->before, TIME) - side_number(&difference->after, TIME);
    struct account account;
    attribution_make(&account, &difference->before.levels, &difference->after.levels);
    int result = query_write(&difference->after.query, "%s", sql);
    for (int i = 0; i < account.count && !result; i++)
        result = insert_row(difference, &account.row[i], change);
    return result;
}

/* ---- all ------------------------------------------------------------------------------------- */

int explain_pair_open(struct explain_pair *difference, const struct run *first,
                      const struct run *second, const char *before, const char *after,
                      const char *asked)
{
    char *size = NULL;
    memset(difference, 0, sizeof *difference);
    int result = records_read_own(&difference->records);
    if (!result) result = side_open(&difference->before, first, &difference->records, before);
    if (!result) result = side_open(&difference->after, second, &difference->records, after);
    if (!result) result = choose_size(&difference->before, &difference->after, asked, &size);
    if (!result) result = side_take(&difference->before, &difference->records, size);
    if (!result) result = side_take(&difference->after, &difference->records, size);
    free(size);
    if (result) return result;
    judge(difference);
    return make_table(difference);
}

void explain_pair_close(struct explain_pair *difference)
{
    side_close(&difference->before);
    side_close(&difference->after);
    records_free(&difference->records);
    memset(difference, 0, sizeof *difference);
}
