#include "evaluate/metric_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/point_key.h"
#include "query/query.h"

/* How far rounding may exceed a bound: percentages, whose parts come from different passes, by
 * SLACK_PCT, other values by SLACK_SHARE of the bound. */
#define SLACK_PCT "0.05"
#define SLACK_SHARE "0.0005"

int metric_checks_is_known(const struct record *record)
{
    return record->kind == RECORD_CHECK ||
           (record->kind != RECORD_TRACK &&
            (record_field(record, "least") || record_field(record, "most")));
}

/* Takes the next of the words separated by blanks: returns where it begins, NULL at the end. */
static const char *next_word(const char **words, size_t *length)
{
    const char *word = *words + strspn(*words, " ");
    *length = strcspn(word, " ");
    *words = word + *length;
    return *length ? word : NULL;
}

static int has_word(const char *words, const char *name, size_t length)
{
    size_t found;
    for (const char *word; (word = next_word(&words, &found));)
        if (found == length && !strncmp(word, name, length)) return 1;
    return 0;
}

/* The columns that the record may empty, separated by blanks. */
static const char *emptied(const struct record *record)
{
    return record->kind == RECORD_CHECK ? record_field(record, "empties") : record->name;
}

int metric_checks_empties(const struct record *record, const char *name, size_t length)
{
    const int empties = record->kind == RECORD_CHECK
                            ? has_word(emptied(record), name, length)
                            : !strncmp(record->name, name, length) && !record->name[length];
    return empties && metric_checks_is_known(record);
}

static void visit_condition(const struct record *record,
                            void (*visit)(const char *name, size_t length, void *context),
                            void *context)
{
    static const char *const fields[] = {"holds", "least", "most"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (record_field(record, fields[i]))
            text_identifiers(record_field(record, fields[i]), visit, context);
}

void metric_checks_identifiers(const struct record *record,
                               void (*visit)(const char *name, size_t length, void *context),
                               void *context)
{
    visit_condition(record, visit, context);
    if (record->kind == RECORD_CHECK) text_identifiers(emptied(record), visit, context);
}

int metric_checks_begin(struct query *query)
{
    return query_write(query, "CREATE TABLE impossible(family TEXT, variant TEXT, size TEXT, block "
                              "INTEGER, sweep INTEGER, device INTEGER, kind TEXT, name TEXT, "
                              "holds TEXT, numbers TEXT, empties TEXT, because TEXT)");
}

/* ---- conditions ------------------------------------------------------------------------------ */

static int is_percentage(const struct record *record)
{
    const char *unit = record_field(record, "unit");
    return unit && !strcmp(unit, "%");
}

/* Appends the condition over m; an unknown bound holds. */
static void append_condition(const struct record *record, struct text *sql)
{
    const char *least = record_field(record, "least"), *most = record_field(record, "most"),
               *and = "";
    if (record->kind == RECORD_CHECK) {
        text_append(sql, record_field(record, "holds"));
        return;
    }
    if (least) {
        text_format(sql,
                    is_percentage(record) ? "coalesce(%s >= (%s) - " SLACK_PCT ", 1)"
                                          : "coalesce(%s >= (%s) - " SLACK_SHARE " * abs(%s), 1)",
                    record->name, least, least);
        and = " AND ";
    }
    if (most)
        text_format(sql,
                    is_percentage(record) ? "%scoalesce(%s <= (%s) + " SLACK_PCT ", 1)"
                                          : "%scoalesce(%s <= (%s) + " SLACK_SHARE " * abs(%s), 1)",
                    and, record->name, most, most);
}

/* Appends the same for people to read. */
static void append_words(const struct record *record, struct text *words)
{
    const char *least = record_field(record, "least"), *most = record_field(record, "most");
    if (record->kind == RECORD_CHECK)
        text_append(words, record_field(record, "holds"));
    else if (least && most)
        text_format(words, "%s <= %s <= %s", least, record->name, most);
    else if (least)
        text_format(words, "%s >= %s", record->name, least);
    else
        text_format(words, "%s <= %s", record->name, most);
}

struct numbers {
    const struct metric_table *rows;
    struct text sql;
    struct text seen; /* " name name " */
};

/* Appends " || '; name = ' || value" for a column that is not in the list yet. */
static void append_number(const char *name, size_t length, void *context)
{
    struct numbers *numbers = context;
    char column[128];
    if (length >= sizeof column || has_word(text_string(&numbers->seen), name, length)) return;
    snprintf(column, sizeof column, "%.*s", (int)length, name);
    if (!metric_table_has(numbers->rows, column)) return;
    text_format(&numbers->sql, " || '%s%s = ' || coalesce(human(%s), 'absent')",
                numbers->seen.length ? "; " : "", column, column);
    text_format(&numbers->seen, "%s ", column);
}

static void append_numbers(const struct metric_table *rows, const struct record *record,
                           struct text *sql)
{
    struct numbers numbers = {.rows = rows};
    text_append(&numbers.sql, "''");
    if (record->kind != RECORD_CHECK) append_number(record->name, strlen(record->name), &numbers);
    visit_condition(record, append_number, &numbers);
    text_append(sql, text_string(&numbers.sql));
    text_free_piece(&numbers.sql, sql);
    text_free_piece(&numbers.seen, sql);
}

static const char *reason(const struct record *record)
{
    const char *because = record_field(record, "because");
    return because                 ? because
           : is_percentage(record) ? "A percentage of a whole is neither below 0 nor above 100 %."
                                   : "Its definition keeps it within these bounds.";
}

/* ---- judging --------------------------------------------------------------------------------- */

static int check_columns(struct query *query, const struct record *record)
{
    const char *words = emptied(record), *word;
    struct text list = {0};
    size_t length;
    text_append(&list, "coalesce(NULL");
    while ((word = next_word(&words, &length))) text_format(&list, ", %.*s", (int)length, word);
    text_append(&list, ")");
    const int result = list.failed
                           ? error_memory()
                           : expression_check(query, record, "empties", text_string(&list), "m");
    text_free(&list);
    return result;
}

static int check_expressions(struct query *query, const struct record *record)
{
    static const char *const fields[] = {"holds", "least", "most"};
    int result = record->kind == RECORD_CHECK ? check_columns(query, record) : 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !result; i++) {
        const char *expression = record_field(record, fields[i]);
        if (expression) result = expression_check(query, record, fields[i], expression, "m");
    }
    return result;
}

static int empty_columns(struct metric_table *rows, const struct record *record)
{
    char *condition = sqlite3_mprintf("(" POINT_KEY ") IN (SELECT " POINT_KEY
                                      " FROM impossible WHERE kind <> 'follows' AND name = %Q)",
                                      record->name);
    const char *words = emptied(record), *word;
    size_t length;
    int result = condition ? 0 : error_memory();
    while (!result && (word = next_word(&words, &length))) {
        char column[128];
        snprintf(column, sizeof column, "%.*s", (int)length, word);
        result = metric_table_empty(rows, column, condition);
    }
    sqlite3_free(condition);
    return result;
}

/* Reports the points where the record does not hold in one line, and empties its columns there. */
static int report_and_empty(struct metric_table *rows, const struct record *record)
{
    static const char sql[] =
        "SELECT printf('%s/%s, size %s: %s', family, variant, size, numbers) || CASE WHEN count(*) "
        "OVER () > 1 THEN printf(' (and %d more)', count(*) OVER () - 1) "
        "ELSE '' END FROM impossible WHERE kind <> 'follows' AND name = :name ORDER BY rowid LIMIT "
        "1";
    const struct scope scope = SCOPE_OF(STRINGS("name"), STRINGS(record->name));
    struct text words = {0};
    char *first = NULL;
    append_words(record, &words);
    int result = words.failed ? error_memory() : query_text(rows->query, NULL, sql, &scope, &first);
    if (!result && first) {
        error(FAIL_CHECK, "%s; impossible: %s must hold. %s Left empty: %s", first,
              text_string(&words), reason(record), emptied(record));
        result = empty_columns(rows, record);
    }
    free(first);
    text_free(&words);
    return result;
}

static int judge_record(struct metric_table *rows, const struct record *record)
{
    struct query *query = rows->query;
    struct text condition = {0}, words = {0}, numbers = {0};
    append_condition(record, &condition);
    append_words(record, &words);
    append_numbers(rows, record, &numbers);
    int result = condition.failed || words.failed || numbers.failed ? error_memory() : 0;
    if (!result)
        result = query_write(
            query,
            "INSERT INTO impossible SELECT " POINT_KEY
            ", %Q, %Q, %Q, numbers, %Q, %Q FROM (SELECT " POINT_KEY
            ", %s AS numbers, min(repeat) FROM m WHERE NOT (%s) GROUP BY " POINT_KEY
            ") ORDER BY " POINT_KEY,
            record->kind == RECORD_CHECK ? "check" : "bound", record->name, text_string(&words),
            emptied(record), reason(record), text_string(&numbers), text_string(&condition));
    if (!result) result = report_and_empty(rows, record);
    text_free(&condition);
    text_free(&words);
    text_free(&numbers);
    return result;
}

/* Finds the first cell that is true, for a record that fails somewhere. */
static int find_first(void *context, const struct scope *row)
{
    int *first = context;
    for (*first = 0;
         *first < row->count && (!row->value[*first] || !strcmp(row->value[*first], "0"));)
        ++*first;
    return 0;
}

/* Counts the records before the first one that fails at some point, in one pass over the rows. */
static int count_good(struct metric_table *rows, const struct record *const *record, int count,
                      int *good)
{
    struct text sql = {0};
    for (int i = 0; i < count; i++) {
        text_append(&sql, i ? ", max(NOT (" : "SELECT max(NOT (");
        append_condition(record[i], &sql);
        text_append(&sql, "))");
    }
    text_append(&sql, " FROM m");
    *good = count;
    const int result =
        sql.failed ? error_memory()
        : count    ? query_each(rows->query, NULL, text_string(&sql), NULL, find_first, good)
                   : 0;
    text_free(&sql);
    return result;
}

int metric_checks_judge(struct metric_table *rows, const struct record *const *record, int count)
{
    int good = 0, result = 0;
    for (int i = 0; i < count && !result; i++) result = check_expressions(rows->query, record[i]);
    if (!result) result = count_good(rows, record, count, &good);
    for (int i = good; i < count && !result; i++)
        result = judge_record(rows, record[i]); /* may empty cells that the later ones use */
    return result;
}

/* ---- consequences ---------------------------------------------------------------------------- */

/* Formulas use the values of other rungs in their best settings. */
#define OF_RUNG(which)                                                                             \
    "i.variant = (SELECT s." which                                                                 \
    " FROM steps_of s WHERE s.family = m.family AND s.variant = m.variant) AND i.sweep = (SELECT " \
    "p.sweep FROM m p WHERE p.family = i.family AND p.variant = "                                  \
    "i.variant AND p.size = i.size AND p.block = i.block AND p.best = 1 LIMIT 1)"

static const struct {
    const char *prefix;
    const char *point;
} sources[] = {{"prev_", OF_RUNG("prev")},
               {"first_", OF_RUNG("first")},
               {"", "i.variant = m.variant AND i.sweep = m.sweep"}};

struct following {
    const struct record *metric;
    struct text sql;
    struct text seen;
};

/* Appends the points where this name of the formula was emptied. */
static void add_source(const char *name, size_t length, void *context)
{
    struct following *following = context;
    size_t at = 0;
    if (has_word(text_string(&following->seen), name, length)) return;
    text_format(&following->seen, "%.*s ", (int)length, name);
    while (strncmp(name, sources[at].prefix, strlen(sources[at].prefix))) at++;
    text_format(&following->sql,
                "%sSELECT " POINT_KEY_OF(
                    "m.") ", '%.*s' AS source FROM m JOIN "
                          "impossible i ON i.family = m.family AND i.size = m.size AND i.block = "
                          "m.block AND %s"
                          " WHERE m.%s IS NULL AND instr(' ' || i.empties || ' ', ' %.*s ')",
                following->sql.length ? " UNION ALL " : "", (int)length, name, sources[at].point,
                following->metric->name, (int)(length - strlen(sources[at].prefix)),
                name + strlen(sources[at].prefix));
}

int metric_checks_follow(struct metric_table *rows, const struct record *metric)
{
    struct query *query = rows->query;
    struct following following = {.metric = metric};
    char *any = NULL;
    int result = query_text(query, NULL, "SELECT 1 FROM impossible LIMIT 1", NULL, &any);
    if (!result && any) text_identifiers(record_field(metric, "formula"), add_source, &following);
    if (!result && (following.sql.failed || following.seen.failed)) result = error_memory();
    if (!result && following.sql.length)
        result = query_write(query,
                             "INSERT INTO impossible SELECT " POINT_KEY
                             ", 'follows', %Q, NULL, NULL, %Q, 'It needs ' || "
                             "group_concat(DISTINCT source) || '.' FROM (%s) GROUP BY " POINT_KEY,
                             metric->name, metric->name, text_string(&following.sql));
    free(any);
    text_free(&following.sql);
    text_free(&following.seen);
    return result;
}

int metric_checks_test(struct query *query, const struct scope *row, const char *name, int *yes)
{
    size_t at = 0;
    while (strncmp(name, sources[at].prefix, strlen(sources[at].prefix))) at++;
    const char *prefix = sources[at].prefix;
    char *found = NULL,
         *sql = text_new("SELECT 1 FROM impossible WHERE family = :family AND variant = :%svariant "
                         "AND size = :size AND block = CAST(:block AS INTEGER) AND sweep = "
                         "CAST(:%ssweep AS INTEGER) AND instr(' ' || empties || ' ', ' %s ')",
                         prefix, prefix, name + strlen(prefix));
    const int result = sql ? query_text(query, NULL, sql, row, &found) : error_memory();
    *yes = found != NULL;
    free(found);
    free(sql);
    return result;
}

/* ---- writing --------------------------------------------------------------------------------- */

int metric_checks_write(struct query *query, struct atomic_files *group)
{
    FILE *file;
    const int result = atomic_files_begin(group, query->run->directory, "impossible.csv", &file);
    return result ? result
                  : query_csv(query, NULL,
                              "SELECT * FROM impossible ORDER BY family, CAST(size AS INTEGER), "
                              "size, variant, block, sweep, rowid",
                              NULL, file);
}

int metric_checks_count(struct query *query, int *found)
{
    char *count = NULL;
    const int result = query_text(
        query, NULL, "SELECT count(*) FROM impossible WHERE kind <> 'follows'", NULL, &count);
    *found = count ? (int)strtol(count, NULL, 10) : 0;
    free(count);
    return result;
}
