#include "query/query.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/message.h"
#include "base/text.h"
#include "query/query_guard.h"

enum { KEPT_STATEMENTS = 512 };

/* ---- opening --------------------------------------------------------------------------------- */

int query_error(struct query *query, const char *place, const char *sql)
{
    const int code = query->database ? sqlite3_errcode(query->database) : SQLITE_NOMEM;
    const int ended = query->database ? query_guard_ended(query, code, place) : 0;
    if (ended) return ended;
    if (code == SQLITE_NOMEM) return error_memory();
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
        result = absent ? query_write(query, "INSERT INTO run VALUES(%Q, NULL)",
                                      query->run->facts[i].key)
                        : query_write(query, "INSERT INTO run VALUES(%Q, %Q)",
                                      query->run->facts[i].key, value);
    }
    return result;
}

/* Nothing is ever rolled back: who fails closes the database. Rows of metrics are wide, and some
 * of them should share a page. */
static const char settings[] = "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA "
                               "temp_store = MEMORY; PRAGMA cache_size = -65536";

int query_open(struct query *query, const struct run *run)
{
    memset(query, 0, sizeof *query);
    query->run = run;
    if (sqlite3_open_v2(":memory:", &query->database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
                            SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK ||
        query_add_functions(query) != SQLITE_OK ||
        sqlite3_exec(query->database, settings, NULL, NULL, NULL) != SQLITE_OK ||
        query_guard_open(query) != SQLITE_OK) {
        const int result = query_error(query, NULL, "opening");
        query_close(query);
        return result;
    }
    const int result = load_facts(query);
    if (result) query_close(query);
    return result;
}

/* Statements that are not in use. */
static void drop_statements(struct query *query)
{
    for (int i = 0; query->statements && i < KEPT_STATEMENTS; i++) {
        if (query->statements[i].is_used) continue;
        sqlite3_finalize(query->statements[i].statement);
        query->statements[i].statement = NULL;
    }
}

void query_close(struct query *query)
{
    drop_statements(query);
    free(query->statements);
    for (int i = 0; i < query->series_count; i++) {
        free(query->series[i].sorted);
        free(query->series[i].by_round);
    }
    free(query->series);
    query_free_functions(query);
    sqlite3_close(query->database);
    memset(query, 0, sizeof *query);
}

static int write_text(struct query *query, const char *place, char *sql)
{
    if (!sql) return error_memory();
    drop_statements(query);
    query->writable = 1;
    const int status =
        place ? query_guard_run(query, sql) : sqlite3_exec(query->database, sql, NULL, NULL, NULL);
    query->writable = 0;
    const int result = status == SQLITE_OK ? 0 : query_error(query, place, sql);
    sqlite3_free(sql);
    return result;
}

int query_write(struct query *query, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    return write_text(query, NULL, sql);
}

int query_compute(struct query *query, const char *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    return write_text(query, place, sql);
}

int query_attempt(struct query *query, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    drop_statements(query);
    query->writable = 1;
    const int done = sql && query_guard_run(query, sql) == SQLITE_OK;
    query->writable = 0;
    sqlite3_free(sql);
    return done;
}

int query_prepare_write(struct query *query, const char *sql, sqlite3_stmt **statement)
{
    query->writable = 1;
    const int status = sqlite3_prepare_v2(query->database, sql, -1, statement, NULL);
    query->writable = 0;
    return status == SQLITE_OK ? 0 : query_error(query, NULL, sql);
}

/* ---- reading --------------------------------------------------------------------------------- */

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
        if (!known)
            return error(FAIL_INPUT, "%s: nothing around it is called '%s'",
                         place ? place : "query", name ? name : "?");
        const int status = value ? sqlite3_bind_text(statement, i, value, -1, SQLITE_TRANSIENT)
                                 : sqlite3_bind_null(statement, i);
        if (status != SQLITE_OK) return error_memory();
    }
    return 0;
}

static int prepare(struct query *query, const char *place, const char *sql,
                   const struct scope *scope, sqlite3_stmt **statement)
{
    const char *rest = NULL;
    *statement = NULL;
    if (sqlite3_prepare_v2(query->database, sql, -1, statement, &rest) != SQLITE_OK)
        return query_error(query, place, sql);
    if (!*statement)
        return error(FAIL_INPUT, "%s: the statement is empty", place ? place : "query");
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

/* A statement with a place is someone else's. */
static int step(struct query *query, sqlite3_stmt *statement, long long *work)
{
    return work ? query_guard_step(query, statement, work) : sqlite3_step(statement);
}

/* The same by a statement that is kept, where there is one of this text that is not in use.
 * *kept is its place, NULL where it is not kept. */
static int prepare_kept(struct query *query, const char *place, const char *sql,
                        const struct scope *scope, sqlite3_stmt **statement,
                        struct kept_statement **kept)
{
    if (!query->statements) query->statements = calloc(KEPT_STATEMENTS, sizeof *query->statements);
    *kept = query->statements
                ? &query->statements[hash_bytes(HASH_START, sql, strlen(sql)) % KEPT_STATEMENTS]
                : NULL;
    if (!*kept || (*kept)->is_used) {
        *kept = NULL;
        return prepare(query, place, sql, scope, statement);
    }
    int result;
    if ((*kept)->statement && (*kept)->writable == query->writable &&
        (*kept)->of_run == query->of_run && !strcmp(sqlite3_sql((*kept)->statement), sql)) {
        *statement = (*kept)->statement;
        result = bind_scope(*statement, scope, place);
        if (result) return result;
    } else {
        result = prepare(query, place, sql, scope, statement);
        if (result) return result;
        sqlite3_finalize((*kept)->statement);
        (*kept)->statement = *statement;
        (*kept)->writable = query->writable;
        (*kept)->of_run = query->of_run;
    }
    (*kept)->is_used = 1;
    return 0;
}

static void release(sqlite3_stmt *statement, struct kept_statement *kept)
{
    if (!kept) {
        sqlite3_finalize(statement);
        return;
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    kept->is_used = 0;
}

int query_each(struct query *query, const char *place, const char *sql, const struct scope *scope,
               row_visitor *visit, void *context)
{
    sqlite3_stmt *statement;
    struct kept_statement *kept;
    int result = prepare_kept(query, place, sql, scope, &statement, &kept);
    query->of_run = 0; /* what is asked while its rows are visited is this program's */
    if (result) return result;
    const int columns = sqlite3_column_count(statement);
    const char **name = calloc((size_t)columns + 1, sizeof *name),
               **value = calloc((size_t)columns + 1, sizeof *value);
    if (!name || !value) result = error_memory();
    int status = SQLITE_ROW;
    long long work = query_guard_work(query);
    while (!result && (status = step(query, statement, place ? &work : NULL)) == SQLITE_ROW) {
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
    release(statement, kept);
    return result;
}

int query_judge(struct query *query, const char *place, const char *sql, const struct scope *scope,
                row_visitor *visit, void *context)
{
    query->of_run = 1;
    return query_each(query, place, sql, scope, visit, context);
}

static int take_first(void *context, const struct scope *row)
{
    char **value = context;
    if (*value || !row->value[0]) return 0;
    *value = strdup(row->value[0]);
    return *value ? 0 : error_memory();
}

int query_text(struct query *query, const char *place, const char *sql, const struct scope *scope,
               char **value)
{
    *value = NULL;
    return query_each(query, place, sql, scope, take_first, value);
}

int query_columns(struct query *query, const char *table, row_visitor *visit, void *context)
{
    const char *const name = "table";
    const struct scope scope = {NULL, 1, &name, &table};
    query->writable = 1; /* pragma functions are not for expressions */
    const int result = query_each(query, NULL, "SELECT name FROM pragma_table_info(:table)", &scope,
                                  visit, context);
    query->writable = 0;
    return result;
}

int query_has_column(struct query *query, const char *table, const char *column)
{
    return sqlite3_table_column_metadata(query->database, NULL, table, column, NULL, NULL, NULL,
                                         NULL, NULL) == SQLITE_OK;
}

/* On a terminal a cell is for a person. */
static void write_shown(struct csv_writer *writer, const char *value)
{
    char *shown = NULL;
    size_t length;
    FILE *memory = value ? open_memstream(&shown, &length) : NULL;
    if (memory) text_write_visible(memory, value);
    if (memory) fclose(memory);
    csv_text(writer, shown);
    free(shown);
}

static void write_cell(struct csv_writer *writer, sqlite3_stmt *statement, int column,
                       int on_terminal)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: csv_integer(writer, sqlite3_column_int64(statement, column)); break;
    case SQLITE_FLOAT:
        csv_number(writer, sqlite3_column_double(statement, column));
        break; /* whole values without a point */
    default:
        (on_terminal ? write_shown
                     : csv_text)(writer, (const char *)sqlite3_column_text(statement, column));
    }
}

int query_csv(struct query *query, const char *place, const char *sql, const struct scope *scope,
              FILE *file)
{
    sqlite3_stmt *statement;
    struct csv_writer writer = {.file = file};
    const int on_terminal = isatty(fileno(file));
    int status;
    int result = prepare(query, place, sql, scope, &statement);
    if (result) return result;
    long long work = query_guard_work(query);
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        csv_text(&writer, sqlite3_column_name(statement, i));
    csv_end(&writer);
    while ((status = step(query, statement, place ? &work : NULL)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            write_cell(&writer, statement, i, on_terminal);
        csv_end(&writer);
    }
    if (status != SQLITE_DONE) result = query_error(query, place, sql);
    sqlite3_finalize(statement);
    return result;
}

/* ---- the ladder ------------------------------------------------------------------------------ */

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

int query_make_steps_of(struct query *query)
{
    return query_write(query,
                       "CREATE INDEX IF NOT EXISTS variants_key ON variants(family, variant);"
                       "CREATE TABLE ladder_tops AS WITH RECURSIVE up(family, variant, at) AS ("
                       " SELECT family, variant, variant FROM variants"
                       " UNION SELECT up.family, up.variant, v.after FROM up JOIN variants v ON "
                       "v.family = up.family AND v.variant = "
                       "up.at WHERE v.after IS NOT NULL)"
                       " SELECT up.family, up.variant, up.at FROM up LEFT JOIN variants w ON "
                       "w.family = up.family AND w.variant = up.at WHERE w.after IS NULL;"
                       "CREATE INDEX ladder_tops_key ON ladder_tops(family, variant);"
                       "CREATE TABLE steps_of AS SELECT v.family, v.variant, v.after AS prev, "
                       "(SELECT t.at FROM ladder_tops t"
                       "  WHERE t.family = v.family AND t.variant = v.variant) AS first, v.kind AS "
                       "kind FROM variants v;"
                       "CREATE INDEX steps_of_key ON steps_of(family, variant)");
}

/* Which rows a row of the source is held against are looked up once; rungs that a row comes
 * after have one best row at most. */
int query_make_ladder(struct query *query, const char *source)
{
    struct column_list list = {.has_repeat = 0};
    struct text columns = {0};
    text_format(&columns, "SELECT name FROM pragma_table_info('%s')", source);
    query->writable = 1; /* pragma functions are not for expressions */
    int result = columns.failed
                     ? error_memory()
                     : query_each(query, NULL, text_string(&columns), NULL, add_column, &list);
    query->writable = 0;
    text_free(&columns);
    const char *repeat = list.has_repeat ? " AND o.repeat = c.repeat" : "";
    if (!result && (list.own.failed || list.prev.failed || list.first.failed))
        result = error_memory();
    if (!result) result = query_make_steps_of(query);
    if (!result)
        result = query_write(
            query,
            "CREATE INDEX %s_best ON %s(family, variant, size, block, best);"
            "CREATE TABLE ladder_rows(row INTEGER PRIMARY KEY, after TEXT, kind TEXT, prev "
            "INTEGER, first INTEGER);"
            "INSERT INTO ladder_rows SELECT c.rowid, s.prev, s.kind,"
            " (SELECT o.rowid FROM %s o WHERE o.family = c.family AND o.variant = s.prev AND "
            "o.size = c.size AND o.block = c.block AND o.best = 1%s),"
            " (SELECT o.rowid FROM %s o WHERE o.family = c.family AND o.variant = s.first AND "
            "o.size = c.size AND o.block = c.block AND o.best = 1%s)"
            " FROM %s c JOIN steps_of s ON s.family = c.family AND s.variant = c.variant",
            source, source, source, repeat, source, repeat, source);
    if (!result)
        result = query_write(
            query,
            "CREATE VIEW ladder AS SELECT %s%s%s, l.after AS after, l.kind AS kind FROM %s cur "
            "JOIN ladder_rows l ON l.row = cur.rowid"
            " LEFT JOIN %s prev ON prev.rowid = l.prev LEFT JOIN %s first ON first.rowid = l.first",
            text_string(&list.own), text_string(&list.prev), text_string(&list.first), source,
            source, source);
    text_free(&list.own);
    text_free(&list.prev);
    text_free(&list.first);
    return result;
}
