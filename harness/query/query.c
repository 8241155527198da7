#include "query/query.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "query/ladder.sql.h"
#include "query/library_ratios.sql.h"
#include "query/sizes.sql.h"
#include "query/steps_of.sql.h"

/* ---- opening --------------------------------------------------------------------------------- */

int query_error(struct query *query, const char *origin, const char *sql)
{
    const int code = query->database ? sqlite3_errcode(query->database) : SQLITE_NOMEM;
    const int ended = query->database ? query_guard_ended(&query->guard, code, origin) : 0;
    if (ended) return ended;
    if (code == SQLITE_NOMEM) return error_memory();
    const char *why = sqlite3_errmsg(query->database);
    if (origin) return error(FAIL_INPUT, "%s: %s", origin, why);
    return error(FAIL_INPUT, "%s: %s in: %s", query->run->path, why, sql);
}

static int load_facts(struct query *query)
{
    int result = query_write(query, "CREATE TABLE run(key TEXT PRIMARY KEY, value NUMERIC)");
    for (int i = 0; i < query->run->facts.count && !result; i++) {
        const struct fact *fact = &query->run->facts.fact[i];
        const int absent = !strncmp(fact->value, ABSENT, strlen(ABSENT));
        result = query_write(query, "INSERT INTO run VALUES(%Q, %Q)", fact->key,
                             absent ? NULL : fact->value);
    }
    return result;
}

/* Nothing is ever rolled back: after a failure the database is closed. Rows of metrics are wide,
 * and several should share a page. */
static const char settings[] = "PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA "
                               "temp_store = MEMORY; PRAGMA cache_size = -65536";

int query_open(struct query *query, const struct run *run)
{
    memset(query, 0, sizeof *query);
    query->run = run;
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (sqlite3_open_v2(":memory:", &query->database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
                            SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK ||
        query_add_functions(query) != SQLITE_OK ||
        sqlite3_exec(query->database, settings, NULL, NULL, NULL) != SQLITE_OK ||
        query_guard_open(&query->guard, query->database) != SQLITE_OK) {
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
    for (int i = 0; i < QUERY_KEPT; i++) sqlite3_finalize(query->kept[i].statement);
    query_free_functions(query);
    sqlite3_close(query->database);
    memset(query, 0, sizeof *query);
}

static int write_text(struct query *query, const char *origin, int is_quiet, const char *format,
                      va_list arguments)
{
    char *sql = sqlite3_vmprintf(format, arguments);
    if (!sql) return error_memory();
    query->guard.writable = 1;
    const int status = origin || is_quiet ? query_guard_run(&query->guard, query->database, sql)
                                          : sqlite3_exec(query->database, sql, NULL, NULL, NULL);
    query->guard.writable = 0;
    const int result = status == SQLITE_OK ? 0
                       : is_quiet          ? FAIL_INPUT
                                           : query_error(query, origin, sql);
    sqlite3_free(sql);
    return result;
}

int query_compute(struct query *query, const char *origin, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int result = write_text(query, origin, 0, format, arguments);
    va_end(arguments);
    return result;
}

int query_script(struct query *query, struct text *sql)
{
    const int result = sql->failed ? error_memory() : query_write(query, "%s", text_string(sql));
    text_free(sql);
    return result;
}

int query_attempt(struct query *query, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int result = write_text(query, NULL, 1, format, arguments);
    va_end(arguments);
    return !result;
}

int query_prepare_write(struct query *query, const char *sql, sqlite3_stmt **statement)
{
    query->guard.writable = 1;
    const int status = sqlite3_prepare_v2(query->database, sql, -1, statement, NULL);
    query->guard.writable = 0;
    return status == SQLITE_OK ? 0 : query_error(query, NULL, sql);
}

/* Returns the prepared statement, NULL after a failure with a message. */
static sqlite3_stmt *find_kept(struct query *query, const char *sql)
{
    for (int i = 0; i < QUERY_KEPT; i++)
        if (query->kept[i].sql == sql) return query->kept[i].statement;
    struct kept_statement *kept = &query->kept[query->kept_count++ % QUERY_KEPT];
    sqlite3_finalize(kept->statement);
    *kept = (struct kept_statement){NULL, NULL};
    if (!query_prepare_write(query, sql, &kept->statement)) kept->sql = sql;
    return kept->statement;
}

static int bind_argument(sqlite3_stmt *statement, int at, char type, va_list arguments)
{
    switch (type) {
    case 't': return sqlite3_bind_text(statement, at, va_arg(arguments, char *), -1, SQLITE_STATIC);
    case 'i': return sqlite3_bind_int(statement, at, va_arg(arguments, int));
    case 'l': return sqlite3_bind_int64(statement, at, va_arg(arguments, long long));
    default: return sqlite3_bind_double(statement, at, va_arg(arguments, double));
    }
}

int query_run(struct query *query, const struct scope *scope, const char *sql, const char *types,
              ...)
{
    sqlite3_stmt *statement = find_kept(query, sql);
    if (!statement) return FAIL_INPUT;
    va_list arguments;
    va_start(arguments, types);
    const int count = scope ? sqlite3_bind_parameter_count(statement) : (int)strlen(types);
    for (int i = 1; i <= count; i++) {
        const char *name = scope ? sqlite3_bind_parameter_name(statement, i) : NULL;
        if (name)
            sqlite3_bind_text(statement, i, scope_value(scope, name + 1, NULL), -1, SQLITE_STATIC);
        else
            bind_argument(statement, i, *types++, arguments);
    }
    va_end(arguments);
    query->guard.writable = 1; /* it is prepared again when tables have changed */
    const int status = sqlite3_step(statement);
    query->guard.writable = 0;
    sqlite3_reset(statement);
    return status == SQLITE_DONE ? 0 : query_error(query, NULL, sql);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The context of a row: its first member is what a visitor gets. */
struct visited_row {
    struct scope scope;
    sqlite3_stmt *statement;
};

double row_number(const struct scope *row, int column)
{
    return row->value[column]
               ? sqlite3_column_double(((const struct visited_row *)row)->statement, column)
               : NAN;
}

long long row_integer(const struct scope *row, int column)
{
    return sqlite3_column_int64(((const struct visited_row *)row)->statement, column);
}

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

static int bind_scope(sqlite3_stmt *statement, const struct scope *scope, const char *origin)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
        const char *name = sqlite3_bind_parameter_name(statement, i);
        int known = 0;
        const char *value = name ? scope_value(scope, name + 1, &known) : NULL;
        if (!known)
            return error(FAIL_INPUT, "%s: no enclosing row has a column '%s'",
                         origin ? origin : "query", name ? name : "?");
        const int status = value ? sqlite3_bind_text(statement, i, value, -1, SQLITE_TRANSIENT)
                                 : sqlite3_bind_null(statement, i);
        if (status != SQLITE_OK) return error_memory();
    }
    return 0;
}

static int prepare(struct query *query, const char *origin, const char *sql,
                   const struct scope *scope, sqlite3_stmt **statement)
{
    const char *rest = NULL;
    if (sqlite3_prepare_v2(query->database, sql, -1, statement, &rest) != SQLITE_OK)
        return query_error(query, origin, sql);
    const char *fault = !*statement                              ? "the statement is empty"
                        : rest && rest[strspn(rest, " \t\r\n;")] ? "more than one statement"
                                                                 : NULL;
    const int result = fault ? error(FAIL_INPUT, "%s: %s", origin ? origin : "query", fault)
                             : bind_scope(*statement, scope, origin);
    if (result) sqlite3_finalize(*statement);
    return result;
}

int query_each(struct query *query, const char *origin, const char *sql, const struct scope *scope,
               row_visitor *visit, void *context)
{
    sqlite3_stmt *statement = NULL;
    int result = prepare(query, origin, sql, scope, &statement);
    query->guard.of_run = 0; /* the statements of a visit are this program's */
    if (result) return result;
    const int columns = sqlite3_column_count(statement);
    const char **name = calloc((size_t)columns + 1, sizeof *name),
               **value = calloc((size_t)columns + 1, sizeof *value);
    if (!name || !value) result = error_memory();
    int status = SQLITE_ROW;
    long long work = query_guard_work(&query->guard);
    while (!result && (status = query_guard_step(&query->guard, statement,
                                                 origin ? &work : NULL)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++) {
            const int is_null = sqlite3_column_type(statement, i) == SQLITE_NULL;
            name[i] = sqlite3_column_name(statement, i);
            value[i] = (const char *)sqlite3_column_text(statement, i);
            if (!name[i] || (!value[i] && !is_null)) result = error_memory();
        }
        const struct visited_row row = {{scope, columns, name, value}, statement};
        if (!result) result = visit(context, &row.scope);
    }
    if (!result && status != SQLITE_DONE) result = query_error(query, origin, sql);
    free(name);
    free(value);
    sqlite3_finalize(statement);
    return result;
}

int query_judge(struct query *query, const char *origin, const char *sql, const struct scope *scope,
                row_visitor *visit, void *context)
{
    query->guard.of_run = 1;
    return query_each(query, origin, sql, scope, visit, context);
}

static int take_first(void *context, const struct scope *row)
{
    char **value = context;
    if (*value || !row->value[0]) return 0;
    *value = strdup(row->value[0]);
    return *value ? 0 : error_memory();
}

int query_text(struct query *query, const char *origin, const char *sql, const struct scope *scope,
               char **value)
{
    *value = NULL;
    return query_each(query, origin, sql, scope, take_first, value);
}

int expression_check(struct query *query, const struct record *record, const char *field,
                     const char *expression, const char *table)
{
    char *origin = text_new("%s:%d", record->file, record_line(record, field));
    char *sql = text_new("SELECT (%s) FROM %s LIMIT 0", expression, table), *value = NULL;
    int result = origin && sql ? query_text(query, origin, sql, NULL, &value) : error_memory();
    if (!result) result = query_guard_expression(origin, expression);
    free(value);
    free(sql);
    free(origin);
    return result;
}

int query_columns(struct query *query, const char *table, row_visitor *visit, void *context)
{
    const struct scope scope = SCOPE_OF(STRINGS("table"), STRINGS(table));
    query->guard.writable = 1; /* foreign statements must not call pragma functions */
    const int result = query_each(query, NULL, "SELECT name FROM pragma_table_info(:table)", &scope,
                                  visit, context);
    query->guard.writable = 0;
    return result;
}

int query_has_column(struct query *query, const char *table, const char *column)
{
    return sqlite3_table_column_metadata(query->database, NULL, table, column, NULL, NULL, NULL,
                                         NULL, NULL) == SQLITE_OK;
}

static void write_cell(struct csv_writer *writer, sqlite3_stmt *statement, int column,
                       int is_terminal)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: csv_integer(writer, sqlite3_column_int64(statement, column)); break;
    case SQLITE_FLOAT: csv_number(writer, sqlite3_column_double(statement, column)); break;
    default: print_csv_text(writer, text, is_terminal);
    }
}

int query_csv(struct query *query, const char *origin, const char *sql, const struct scope *scope,
              FILE *file)
{
    sqlite3_stmt *statement;
    struct csv_writer writer = {.file = file};
    const int on_terminal = isatty(fileno(file));
    int status;
    int result = prepare(query, origin, sql, scope, &statement);
    if (result) return result;
    long long work = query_guard_work(&query->guard);
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        csv_text(&writer, sqlite3_column_name(statement, i));
    csv_end(&writer);
    while ((status = query_guard_step(&query->guard, statement, origin ? &work : NULL)) ==
           SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            write_cell(&writer, statement, i, on_terminal);
        csv_end(&writer);
    }
    if (status != SQLITE_DONE) result = query_error(query, origin, sql);
    sqlite3_finalize(statement);
    return result;
}

static void write_member(struct json_writer *writer, sqlite3_stmt *statement, int column)
{
    const char *name = sqlite3_column_name(statement, column);
    const int type = sqlite3_column_type(statement, column);
    if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
        json_number(writer, name, sqlite3_column_double(statement, column));
    else
        json_text(writer, name, (const char *)sqlite3_column_text(statement, column));
}

int query_json(struct query *query, const char *sql, const struct scope *scope,
               struct json_writer *writer)
{
    sqlite3_stmt *statement;
    int status;
    int result = prepare(query, NULL, sql, scope, &statement);
    if (result) return result;
    while ((status = query_guard_step(&query->guard, statement, NULL)) == SQLITE_ROW) {
        json_open(writer, NULL, '{');
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            write_member(writer, statement, i);
        json_close(writer, '}');
    }
    if (status != SQLITE_DONE) result = query_error(query, NULL, sql);
    sqlite3_finalize(statement);
    return result;
}

static int add_row(void *context, const struct scope *row)
{
    struct print_table *table = context;
    for (int i = 0; i < table->columns; i++) {
        int known;
        const char *value = scope_value(row, table->column[i].name, &known);
        if (!known) return error(FAIL_INPUT, "no column '%s' to print", table->column[i].name);
        print_table_cell(table, value);
    }
    return table->failed ? error_memory() : 0;
}

int query_print_rows(struct query *query, const char *sql, const struct scope *scope,
                     struct print_table *table)
{
    return query_each(query, NULL, sql, scope, add_row, table);
}

/* ---- the ladder ------------------------------------------------------------------------------ */

int query_make_steps_of(struct query *query)
{
    return query_has_column(query, "steps_of", NULL) ? 0 : query_write(query, "%s", steps_of_sql);
}

int query_make_sizes(struct query *query)
{
    return query_has_column(query, "sizes", NULL) ? 0 : query_write(query, "%s", sizes_sql);
}

int query_make_library_ratios(struct query *query)
{
    return query_has_column(query, "library_ratios", NULL)
               ? 0
               : query_write(query, "%s", library_ratios_sql);
}

/* The rows that a row is compared with are looked up once; each rung has at most one best row at a
 * block size; at one that is there for published figures alone, none is marked as best, and the
 * first row that no other setting beats is taken. */
int query_make_ladder(struct query *query)
{
    static const char columns_sql[] =
        "SELECT group_concat('cur.\"' || name || '\" AS \"' || name || '\"', ', ')"
        " || group_concat(', prev.\"' || name || '\" AS \"prev_' || name || '\"', '')"
        " || group_concat(', first.\"' || name || '\" AS \"first_' || name || '\"', '')"
        " FROM pragma_table_info('metrics')";
    const char *best = query_has_column(query, "metrics", "behind_best_pct")
                           ? "(o.best = 1 OR o.behind_best_pct = 0)"
                           : "o.best = 1";
    char *columns = NULL;
    query->guard.writable = 1; /* for the pragma */
    int result = query_text(query, NULL, columns_sql, NULL, &columns);
    query->guard.writable = 0;
    if (!result) result = query_make_steps_of(query);
    if (!result) result = query_write(query, ladder_sql, best, best, columns);
    free(columns);
    return result;
}
