#include "query.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "text.h"

/* ---- opening -------------------------------------------------------------------------------------------------------------------------- */

/* What a statement from a data file may do: read tables and call functions that touch nothing outside. */
static int authorize(void *opaque, int action, const char *first, const char *second, const char *database, const char *trigger)
{
    static const char *const forbidden[] = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "randomblob", "zeroblob"};
    const struct query *query = opaque;
    (void)first;
    (void)database;
    (void)trigger;
    if (query->writable) return action == SQLITE_ATTACH ? SQLITE_DENY : SQLITE_OK;
    if (action == SQLITE_FUNCTION) {
        for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
            if (second && !strcmp(second, forbidden[i])) return SQLITE_DENY;
        return SQLITE_OK;
    }
    return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE ? SQLITE_OK : SQLITE_DENY;
}

int query_error(struct query *query, const char *place, const char *sql)
{
    if (!query->database || sqlite3_errcode(query->database) == SQLITE_NOMEM) return error_memory();
    const char *why = sqlite3_errmsg(query->database);
    if (place) return error(FAIL_INPUT, "%s: %s", place, why);
    return error(FAIL_INPUT, "%s: %s in: %s", query->run->path, why, sql);
}

static int load_facts(struct query *query)
{
    int result = query_write(query, "CREATE TABLE run(key TEXT PRIMARY KEY, value NUMERIC)");
    for (int i = 0; i < query->run->fact_count && !result; i++) {
        const char *value = query->run->facts[i].value;
        const int absent = !strncmp(value, "absent: ", 8);
        result = absent ? query_write(query, "INSERT INTO run VALUES(%Q, NULL)", query->run->facts[i].key)
                        : query_write(query, "INSERT INTO run VALUES(%Q, %Q)", query->run->facts[i].key, value);
    }
    return result;
}

int query_open(struct query *query, const struct run *run)
{
    memset(query, 0, sizeof *query);
    query->run = run;
    if (sqlite3_open(":memory:", &query->database) != SQLITE_OK ||
        query_add_functions(query) != SQLITE_OK ||
        sqlite3_set_authorizer(query->database, authorize, query) != SQLITE_OK) {
        const int result = query_error(query, NULL, "opening");
        query_close(query);
        return result;
    }
    const int result = load_facts(query);
    if (result) query_close(query);
    return result;
}

void query_close(struct query *query)
{
    for (int i = 0; i < query->series_count; i++) {
        free(query->series[i].sorted);
        free(query->series[i].by_round);
    }
    free(query->series);
    free(query->intervals);
    sqlite3_close(query->database);
    memset(query, 0, sizeof *query);
}

int query_write(struct query *query, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    if (!sql) return error_memory();
    query->writable = 1;
    const int status = sqlite3_exec(query->database, sql, NULL, NULL, NULL);
    query->writable = 0;
    const int result = status == SQLITE_OK ? 0 : query_error(query, NULL, sql);
    sqlite3_free(sql);
    return result;
}

/* ---- reading -------------------------------------------------------------------------------------------------------------------------- */

const char *scope_value(const struct scope *scope, const char *name, int *known)
{
    for (; scope; scope = scope->outer) {
        for (int i = 0; i < scope->count; i++) {
            if (strcmp(scope->name[i], name)) continue;
            if (known) *known = 1;
            return scope->value[i];
        }
    }
    if (known) *known = 0;
    return NULL;
}

static int bind_scope(sqlite3_stmt *statement, const struct scope *scope, const char *place)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
        const char *name = sqlite3_bind_parameter_name(statement, i);
        int known = 0;
        const char *value = name ? scope_value(scope, name + 1, &known) : NULL;
        if (!known) return error(FAIL_INPUT, "%s: nothing around it is called '%s'", place ? place : "query", name ? name : "?");
        const int status = value ? sqlite3_bind_text(statement, i, value, -1, SQLITE_TRANSIENT) : sqlite3_bind_null(statement, i);
        if (status != SQLITE_OK) return error_memory();
    }
    return 0;
}

static int prepare(struct query *query, const char *place, const char *sql, const struct scope *scope, sqlite3_stmt **statement)
{
    const char *rest = NULL;
    *statement = NULL;
    if (sqlite3_prepare_v2(query->database, sql, -1, statement, &rest) != SQLITE_OK) return query_error(query, place, sql);
    if (!*statement) return error(FAIL_INPUT, "%s: the statement is empty", place ? place : "query");
    if (rest && rest[strspn(rest, " \t\r\n;")]) {
        sqlite3_finalize(*statement);
        *statement = NULL;
        return error(FAIL_INPUT, "%s: more than one statement", place ? place : "query");
    }
    const int result = bind_scope(*statement, scope, place);
    if (result) {
        sqlite3_finalize(*statement);
        *statement = NULL;
    }
    return result;
}

int query_each(struct query *query, const char *place, const char *sql, const struct scope *scope, row_visitor *visit, void *context)
{
    sqlite3_stmt *statement;
    int result = prepare(query, place, sql, scope, &statement);
    if (result) return result;
    const int columns = sqlite3_column_count(statement);
    const char **name = calloc((size_t)columns + 1, sizeof *name), **value = calloc((size_t)columns + 1, sizeof *value);
    if (!name || !value) result = error_memory();
    int status = SQLITE_ROW;
    while (!result && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) {
            const int is_null = sqlite3_column_type(statement, i) == SQLITE_NULL;
            name[i] = sqlite3_column_name(statement, i);
            value[i] = (const char *)sqlite3_column_text(statement, i);
            if (!name[i] || (!value[i] && !is_null)) result = error_memory();
        }
        const struct scope row = {scope, columns, name, value};
        if (!result) result = visit(context, &row);
    }
    if (!result && status != SQLITE_DONE) result = query_error(query, place, sql);
    free(name);
    free(value);
    sqlite3_finalize(statement);
    return result;
}

static int take_first(void *context, const struct scope *row)
{
    char **value = context;
    if (*value || !row->value[0]) return 0;
    *value = strdup(row->value[0]);
    return *value ? 0 : error_memory();
}

int query_text(struct query *query, const char *place, const char *sql, const struct scope *scope, char **value)
{
    *value = NULL;
    return query_each(query, place, sql, scope, take_first, value);
}

static void write_cell(struct csv_writer *writer, sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: csv_integer(writer, sqlite3_column_int64(statement, column)); break;
    case SQLITE_FLOAT: csv_number(writer, sqlite3_column_double(statement, column)); break; /* whole values without a point */
    default: csv_text(writer, (const char *)sqlite3_column_text(statement, column));
    }
}

int query_csv(struct query *query, const char *place, const char *sql, const struct scope *scope, FILE *file)
{
    sqlite3_stmt *statement;
    struct csv_writer writer = {.file = file};
    int status;
    int result = prepare(query, place, sql, scope, &statement);
    if (result) return result;
    for (int i = 0; i < sqlite3_column_count(statement); i++) csv_text(&writer, sqlite3_column_name(statement, i));
    csv_end(&writer);
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) write_cell(&writer, statement, i);
        csv_end(&writer);
    }
    if (status != SQLITE_DONE) result = query_error(query, place, sql);
    sqlite3_finalize(statement);
    return result;
}

/* ---- the ladder ------------------------------------------------------------------------------------------------------------------------ */

struct column_list {
    struct text own, prev, first;
    int has_repeat;
};

static int add_column(void *context, const struct scope *row)
{
    struct column_list *list = context;
    const char *name = row->value[0];
    text_format(&list->own, "%scur.\"%s\" AS \"%s\"", list->own.length ? ", " : "", name, name);
    text_format(&list->prev, ", prev.\"%s\" AS \"prev_%s\"", name, name);
    text_format(&list->first, ", first.\"%s\" AS \"first_%s\"", name, name);
    if (!strcmp(name, "repeat")) list->has_repeat = 1;
    return 0;
}

int query_make_ladder(struct query *query, const char *source)
{
    struct column_list list = {.has_repeat = 0};
    struct text columns = {0};
    text_format(&columns, "SELECT name FROM pragma_table_info('%s')", source);
    query->writable = 1; /* pragma functions are not for expressions */
    int result = columns.failed ? error_memory() : query_each(query, NULL, text_string(&columns), NULL, add_column, &list);
    query->writable = 0;
    text_free(&columns);
    if (!result && (list.own.failed || list.prev.failed || list.first.failed)) result = error_memory();
    if (!result)
        result = query_write(query,
                             "CREATE TABLE steps_of AS WITH RECURSIVE up(family, variant, at) AS ("
                             " SELECT family, variant, variant FROM variants"
                             " UNION SELECT up.family, up.variant, v.after FROM up JOIN variants v ON v.family = up.family AND v.variant = "
                             "up.at WHERE v.after IS NOT NULL)"
                             " SELECT v.family, v.variant, v.after AS prev, (SELECT up.at FROM up LEFT JOIN variants w ON w.family = "
                             "up.family AND w.variant = up.at"
                             "  WHERE up.family = v.family AND up.variant = v.variant AND w.after IS NULL) AS first, v.kind AS kind FROM variants v;"
                             "CREATE INDEX steps_of_key ON steps_of(family, variant);"
                             "CREATE INDEX %s_best ON %s(family, variant, size, block, best)",
                             source, source);
    if (!result)
        result = query_write(query,
                             "CREATE VIEW ladder AS SELECT %s%s%s, s.prev AS after, s.kind AS kind FROM %s cur JOIN steps_of s ON s.family = cur.family "
                             "AND s.variant = cur.variant"
                             " LEFT JOIN %s prev ON prev.family = cur.family AND prev.variant = s.prev AND prev.size = cur.size AND "
                             "prev.block = cur.block AND prev.best = 1%s"
                             " LEFT JOIN %s first ON first.family = cur.family AND first.variant = s.first AND first.size = cur.size AND "
                             "first.block = cur.block AND first.best = 1%s",
                             text_string(&list.own), text_string(&list.prev), text_string(&list.first), source, source,
                             list.has_repeat ? " AND prev.repeat = cur.repeat" : "", source,
                             list.has_repeat ? " AND first.repeat = cur.repeat" : "");
    text_free(&list.own);
    text_free(&list.prev);
    text_free(&list.first);
    return result;
}
