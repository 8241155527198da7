#include "explain/explain_tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "evaluate/metric_checks.h"
#include "explain/findings.sql.h"
#include "query/query_guard.h"

/* ---- metrics that moved ---------------------------------------------------------------------- */

struct search {
    const struct records *records;
    int timed;     /* a name in it leads to a clean time */
    int on_ladder; /* a name in it belongs to another rung or to the library */
    int depth;
};

/* Follows the names of a formula down to facts and counters. */
static void search_name(const char *name, size_t length, void *context)
{
    enum { DEEPEST = 20 };
    struct search *search = context;
    char full[128];
    if (length >= sizeof full) return;
    memcpy(full, name, length);
    full[length] = 0;
    if (!strncmp(full, "prev_", 5) || !strncmp(full, "first_", 6) || !strncmp(full, "library_", 8))
        search->on_ladder = 1;
    if (!strncmp(full, "time_", 5)) search->timed = 1;
    const struct record *metric = records_find(search->records, RECORD_METRIC, full);
    if (!metric || search->depth == DEEPEST) return;
    search->depth++;
    text_identifiers(record_field(metric, "formula"), search_name, search);
    search->depth--;
}

/* A metric has moved if it changed by more than its noise: the spread of both rungs over the
 * repeats of their counters, plus the noise floor for a metric that depends on a clean time. A
 * change below half a per cent is not worth a line. A metric with a rate belongs to the families
 * with that rate alone, and speed-ups have a table of their own. */
static int add_moved(struct query *query, const struct records *records,
                     const struct record *metric)
{
    static const char sql[] =
        "INSERT INTO found SELECT " POINT_KEY ", 'moved', %Q, before, after, "
        "noise, CASE %Q WHEN 'neither' THEN 'changed' "
        "WHEN CASE WHEN after > before THEN 'higher' ELSE 'lower' END THEN 'better' "
        "ELSE 'worse' END, %Q, NULL, NULL FROM (SELECT " POINT_KEY_OF(
            "cur.") ", prev.%s AS before, cur.%s AS after, n.%s + q.%s%s AS noise "
                    "FROM moved_rows x CROSS JOIN metrics cur ON cur.rowid = x.cur "
                    "JOIN metrics prev ON prev.rowid = x.prev JOIN noise n ON n.rowid = "
                    "x.cur_noise "
                    "JOIN noise q ON q.rowid = x.prev_noise WHERE %Q IS NULL OR x.rate = %Q) "
                    "WHERE abs(after - before) > noise "
                    "AND abs(after - before) > 0.005 * max(abs(after), abs(before))";
    const char *name = metric->name, *title = record_field(metric, "title"),
               *rate = record_field(metric, "rate");
    struct search search = {.records = records};
    text_identifiers(record_field(metric, "formula"), search_name, &search);
    if (!title || search.on_ladder) return 0;
    char *floor = search.timed ? text_new(" + max(cur.floor_pct, prev.floor_pct) / 100.0 * "
                                          "max(abs(cur.%s), abs(prev.%s))",
                                          name, name)
                               : text_new("%s", "");
    const int result = floor ? query_write(query, sql, name, record_field(metric, "better"), title,
                                           name, name, name, name, floor, rate, rate)
                             : error_memory();
    free(floor);
    return result;
}

/* Turns "text {expression} text" into the SQL expression of that text. */
static int template_sql(const struct record *rule, const char *template, struct text *sql)
{
    text_append(sql, "''");
    while (*template) {
        const size_t plain = strcspn(template, "{");
        char *quoted = sqlite3_mprintf("%.*Q", (int)plain, template);
        if (!quoted) return error_memory();
        text_format(sql, " || %s", quoted);
        sqlite3_free(quoted);
        template += plain;
        if (*template != '{') break;
        const size_t length = strcspn(++template, "}");
        if (template[length] != '}')
            return error(FAIL_INPUT, "%s:%d: '{' without '}'", rule->file,
                         record_line(rule, "because"));
        text_format(sql, " || coalesce(human(%.*s), 'absent')", (int)length, template);
        template += length + 1;
    }
    return sql->failed ? error_memory() : 0;
}

/* Collects the SQL that lists the absent names of an expression. */
struct missing {
    const struct records *records;
    struct text names;
};

static void add_missing(const char *name, size_t length, void *context)
{
    struct missing *missing = context;
    char full[128];
    if (length >= sizeof full) return;
    memcpy(full, name, length);
    full[length] = 0;
    const char *base = full + (!strncmp(full, "prev_", 5)    ? 5
                               : !strncmp(full, "first_", 6) ? 6
                                                             : 0);
    if (!records_is_column(missing->records, base) && strcmp(base, "sweep")) return;
    text_format(&missing->names, " || CASE WHEN %s IS NOT NULL THEN '' WHEN ", full);
    metric_checks_append_test(&missing->names, full);
    text_format(&missing->names, " THEN ' %s (" IMPOSSIBLE_WORDS ")' ELSE ' %s' END", full, full);
}

/* Tries an expression of a rule alone, so that messages name its line. */
static int check_expression(struct query *query, const struct record *rule, const char *field,
                            const char *expression)
{
    char *sql = text_new("SELECT (%s) FROM ladder_columns", expression);
    char *place = text_new("%s:%d", rule->file, record_line(rule, field)), *value = NULL;
    int result = sql && place ? query_text(query, place, sql, NULL, &value) : error_memory();
    if (!result) result = query_guard_expression(place, expression);
    free(value);
    free(sql);
    free(place);
    return result;
}

static int check_parent(const struct records *records, const struct record *rule)
{
    const char *under = record_field(rule, "under");
    const struct record *parent = under ? records_find(records, RECORD_RULE, under) : NULL;
    if (under && !parent)
        return error(FAIL_INPUT, "%s:%d: no rule is called '%s'", rule->file,
                     record_line(rule, "under"), under);
    if (under && parent >= rule) /* rules are judged in the order of the files */
        return error(FAIL_INPUT, "%s:%d: the rule '%s' must come before the rules under it",
                     rule->file, record_line(rule, "under"), under);
    return 0;
}

/* A rule with a rate belongs to the families with that rate alone. */
static int add_rule(struct query *query, const struct records *records, const struct record *rule)
{
    static const char sql[] =
        "INSERT INTO found SELECT " POINT_KEY ", 'rule', %Q, NULL, NULL, "
        "NULL, CASE WHEN (%s) IS NULL THEN 'could not judge' ELSE 'applies' END, "
        "CASE WHEN (%s) IS NULL THEN 'needs' %s ELSE %s END, %Q, %Q FROM ladder "
        "WHERE best = 1 AND kind <> 'cpu' AND coalesce((%s), 1)%s AND (%Q IS NULL OR EXISTS ("
        "SELECT 1 FROM found f WHERE f.name = %Q AND f.verdict = 'applies' AND f.family = "
        "ladder.family AND f.variant = ladder.variant AND f.size = ladder.size AND f.block = "
        "ladder.block)) AND (%Q IS NULL OR coalesce((SELECT rate FROM families f "
        "WHERE f.family = ladder.family), 'bytes') = %Q)";
    const char *when = record_field(rule, "when"), *under = record_field(rule, "under"),
               *rate = record_field(rule, "rate");
    struct text because = {0};
    struct search search = {.records = records};
    struct missing missing = {.records = records};
    int result = check_parent(records, rule);
    if (result) return result;
    text_identifiers(when, search_name, &search);
    text_identifiers(when, add_missing, &missing);
    char *place = text_new("%s:%d", rule->file, record_line(rule, "when"));
    result = place ? template_sql(rule, record_field(rule, "because"), &because) : error_memory();
    if (!result) result = check_expression(query, rule, "when", when);
    if (!result) result = check_expression(query, rule, "because", text_string(&because));
    if (!result)
        result = query_compute(
            query, place, sql, rule->name, when, when, text_string(&missing.names),
            text_string(&because), record_field(rule, "try"), record_field(rule, "see"), when,
            search.on_ladder ? " AND after IS NOT NULL" : "", under, under, rate, rate);
    free(place);
    text_free(&because);
    text_free(&missing.names);
    return result;
}

int findings_make(struct query *query, const struct records *records)
{
    int result = query_write(query, "%s", findings_sql);
    /* Statements about an empty table are prepared faster than about the joins of the view. */
    if (!result)
        result = query_write(query, "CREATE TABLE ladder_columns AS SELECT * FROM ladder LIMIT 0");
    for (int i = 0; i < records->count && !result; i++) {
        const struct record *record = &records->record[i];
        if (record->kind == RECORD_METRIC) result = add_moved(query, records, record);
        if (record->kind == RECORD_RULE) result = add_rule(query, records, record);
    }
    return result ? result
                  : query_write(query, "CREATE TABLE findings AS SELECT * FROM found ORDER BY "
                                       "family, CAST(size AS INTEGER), size, variant, kind, rowid");
}
