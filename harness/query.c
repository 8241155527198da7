#include "query.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "output.h"
#include "stats.h"
#include "text.h"

enum { RESAMPLES = 1000 };

/* ---- functions for expressions -------------------------------------------------------------------------------------------------------- */

struct median_state {
    double *value;
    size_t count, capacity;
};

static void median_step(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct median_state *state = sqlite3_aggregate_context(context, sizeof *state);
    (void)count;
    if (!state || sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    if (state->count == state->capacity) {
        const size_t capacity = state->capacity ? 2 * state->capacity : 16;
        double *value = realloc(state->value, capacity * sizeof *value);
        if (!value) {
            sqlite3_result_error_nomem(context);
            return;
        }
        state->value = value;
        state->capacity = capacity;
    }
    state->value[state->count++] = sqlite3_value_double(arguments[0]);
}

static void median_final(sqlite3_context *context)
{
    struct median_state *state = sqlite3_aggregate_context(context, 0);
    if (!state || state->count == 0) {
        sqlite3_result_null(context);
    } else {
        stats_sort(state->value, state->count);
        sqlite3_result_double(context, stats_quantile(state->value, state->count, 0.5));
    }
    if (state) free(state->value);
}

static const struct sample_series *series_at(struct query *query, sqlite3_value *value)
{
    const int index = sqlite3_value_int(value);
    if (sqlite3_value_type(value) == SQLITE_NULL || index < 0 || index >= query->series_count) return NULL;
    return &query->series[index];
}

static void ratio(sqlite3_context *context, sqlite3_value **arguments, int high_end)
{
    struct query *query = sqlite3_user_data(context);
    const struct sample_series *a = series_at(query, arguments[0]), *b = series_at(query, arguments[1]);
    double low = NAN, high = NAN;
    if (a && b) stats_ratio_interval(a->sorted, (size_t)a->count, b->sorted, (size_t)b->count, RESAMPLES, 1, &low, &high);
    if (isfinite(low)) sqlite3_result_double(context, high_end ? high : low);
    else sqlite3_result_null(context);
}

static void ratio_low(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    ratio(context, arguments, 0);
}

static void ratio_high(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    ratio(context, arguments, 1);
}

/* Digits of a whole number with a thin space in UTF-8 between thousands. */
static void append_grouped(struct text *text, const char *digits)
{
    const size_t whole = strspn(digits, "0123456789");
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0 && whole > 4) text_append(text, "\xE2\x80\xAF");
        text_append_bytes(text, digits + i, 1);
    }
    text_append(text, digits + whole);
}

static void human(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL) return;
    if (sqlite3_value_type(arguments[0]) == SQLITE_TEXT) {
        sqlite3_result_value(context, arguments[0]);
        return;
    }
    const double value = sqlite3_value_double(arguments[0]), size = fabs(value);
    char number[64];
    struct text text = {0};
    if (value == floor(value) && size < 1e15) snprintf(number, sizeof number, "%.0f", size);
    else if (size >= 1000) snprintf(number, sizeof number, "%.0f", size);
    else if (size >= 100) snprintf(number, sizeof number, "%.1f", size);
    else if (size >= 1) snprintf(number, sizeof number, "%.2f", size);
    else snprintf(number, sizeof number, "%.3g", size);
    if (value < 0) text_append(&text, "-");
    append_grouped(&text, number);
    sqlite3_result_text(context, text_string(&text), -1, SQLITE_TRANSIENT);
    text_free(&text);
}

/* "4194304" as "2^22", "1024x1024x1024" as "2^10 x 2^10 x 2^10"; factors that are no powers of two as they are. */
static void size_text(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    const char *size = (const char *)sqlite3_value_text(arguments[0]);
    struct text text = {0};
    while (size && *size) {
        char *end;
        const unsigned long long factor = strtoull(size, &end, 10);
        if (end == size) break;
        if (text.length) text_append(&text, " x ");
        if (factor >= 1024 && (factor & (factor - 1)) == 0) text_format(&text, "2^%d", __builtin_ctzll(factor));
        else text_format(&text, "%llu", factor);
        size = end + (*end == 'x');
    }
    sqlite3_result_text(context, text_string(&text), -1, SQLITE_TRANSIENT);
    text_free(&text);
}

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

static int database_error(struct query *query, const char *place, const char *sql)
{
    const char *why = query->database ? sqlite3_errmsg(query->database) : "out of memory";
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
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    memset(query, 0, sizeof *query);
    query->run = run;
    if (sqlite3_open(":memory:", &query->database) != SQLITE_OK ||
        sqlite3_create_function(query->database, "median", 1, flags, query, NULL, median_step, median_final) != SQLITE_OK ||
        sqlite3_create_function(query->database, "ratio_low", 2, flags, query, ratio_low, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function(query->database, "ratio_high", 2, flags, query, ratio_high, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function(query->database, "human", 1, flags, query, human, NULL, NULL) != SQLITE_OK ||
        sqlite3_create_function(query->database, "size_text", 1, flags, query, size_text, NULL, NULL) != SQLITE_OK ||
        sqlite3_set_authorizer(query->database, authorize, query) != SQLITE_OK) {
        const int result = database_error(query, NULL, "opening");
        query_close(query);
        return result;
    }
    const int result = load_facts(query);
    if (result) query_close(query);
    return result;
}

void query_close(struct query *query)
{
    for (int i = 0; i < query->series_count; i++) free(query->series[i].sorted);
    free(query->series);
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
    const int result = status == SQLITE_OK ? 0 : database_error(query, NULL, sql);
    sqlite3_free(sql);
    return result;
}

/* ---- loading tables -------------------------------------------------------------------------------------------------------------------- */

static int check_header(const struct csv_reader *reader, const struct table *table)
{
    const int width = table_width(table);
    for (int i = 0; i < width; i++) {
        if (i >= reader->count) return error(FAIL_INPUT, "%s:1: %d columns; expected column '%s'", reader->path, reader->count, table->columns[i].name);
        if (strcmp(reader->cell[i], table->columns[i].name)) return error(FAIL_INPUT, "%s:1: column '%s'; expected '%s'", reader->path, reader->cell[i], table->columns[i].name);
    }
    for (int i = width; i < reader->count; i++) {
        const char *name = reader->cell[i];
        if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")]) return error(FAIL_INPUT, "%s:1: column name '%s'; expected a bare identifier", reader->path, name);
        for (int j = 0; j < i; j++)
            if (!strcmp(reader->cell[j], name)) return error(FAIL_INPUT, "%s:1: column '%s' is there twice", reader->path, name);
    }
    return 0;
}

static int is_number(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    return end != text && *end == 0 && isfinite(value) && !strpbrk(text, "xX \t");
}

static int check_cell(const struct csv_reader *reader, const struct column *column, const char *cell)
{
    if (column->kind == COLUMN_KEY && !*cell) return error(FAIL_INPUT, "%s:%d: column '%s' is empty", reader->path, reader->line, column->name);
    if (column->kind == COLUMN_COUNT && (!*cell || cell[strspn(cell, "0123456789")])) return error(FAIL_INPUT, "%s:%d: column '%s': expected a whole number, found '%s'", reader->path, reader->line, column->name, cell);
    if (column->kind == COLUMN_NUMBER && *cell && !is_number(cell)) return error(FAIL_INPUT, "%s:%d: column '%s': expected a number or nothing, found '%s'", reader->path, reader->line, column->name, cell);
    return 0;
}

static int create_table(struct query *query, const struct table *table, const struct csv_reader *header)
{
    /* REAL, not NUMERIC: SQLite divides whole numbers as whole numbers. */
    static const char *const type[] = {[COLUMN_TEXT] = "TEXT", [COLUMN_KEY] = "TEXT", [COLUMN_NUMBER] = "REAL", [COLUMN_COUNT] = "INTEGER"};
    struct text sql = {0};
    const int width = table_width(table);
    text_format(&sql, "CREATE TABLE %s(", table->name);
    for (int i = 0; i < (header ? header->count : width); i++) {
        const enum column_kind kind = i < width ? table->columns[i].kind : COLUMN_NUMBER;
        text_format(&sql, "%s\"%s\" %s", i ? ", " : "", header ? header->cell[i] : table->columns[i].name, type[kind]);
    }
    text_append(&sql, ")");
    const int result = sql.failed ? error_memory() : query_write(query, "%s", text_string(&sql));
    text_free(&sql);
    return result;
}

static int insert_rows(struct query *query, const struct table *table, struct csv_reader *reader)
{
    const int width = reader->count, known = table_width(table);
    struct text sql = {0};
    sqlite3_stmt *statement = NULL;
    text_format(&sql, "INSERT INTO %s VALUES(", table->name);
    for (int i = 0; i < width; i++) text_append(&sql, i ? ",?" : "?");
    text_append(&sql, ")");
    int result = sql.failed ? error_memory() : query_write(query, "BEGIN");
    query->writable = 1;
    if (!result && sqlite3_prepare_v2(query->database, text_string(&sql), -1, &statement, NULL) != SQLITE_OK) result = database_error(query, NULL, text_string(&sql));
    query->writable = 0;
    while (!result) {
        const int more = csv_next(reader);
        if (more <= 0) {
            result = more;
            break;
        }
        if (reader->count != width) {
            result = error(FAIL_INPUT, "%s:%d: %d cells; expected %d", reader->path, reader->line, reader->count, width);
            break;
        }
        for (int i = 0; i < width && !result; i++) {
            static const struct column unknown = {"value", COLUMN_NUMBER};
            result = check_cell(reader, i < known ? &table->columns[i] : &unknown, reader->cell[i]);
            if (*reader->cell[i]) sqlite3_bind_text(statement, i + 1, reader->cell[i], -1, SQLITE_STATIC);
            else sqlite3_bind_null(statement, i + 1);
        }
        if (!result && sqlite3_step(statement) != SQLITE_DONE) result = database_error(query, NULL, text_string(&sql));
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    text_free(&sql);
    return result ? result : query_write(query, "COMMIT");
}

/* The last line of a file that the program wrote ends in a line feed; without it the file is cut off. */
static int check_end(const struct csv_reader *reader, const char *path)
{
    const size_t length = strlen(reader->text);
    if (length == 0) return error(FAIL_INPUT, "%s:1: the file is empty; expected a header", path);
    if (reader->text[length - 1] != '\n') return error(FAIL_INPUT, "%s: the last line is not complete; the file is truncated", path);
    return 0;
}

static int load_file(struct query *query, const struct table *table, const char *path)
{
    struct csv_reader reader;
    int result = csv_open(&reader, path);
    if (result) return result;
    result = check_end(&reader, path);
    if (!result && (result = csv_next(&reader)) > 0) {
        result = check_header(&reader, table);
        if (!result) result = create_table(query, table, &reader);
        if (!result) result = insert_rows(query, table, &reader);
    }
    csv_close(&reader);
    return result;
}

static const char *stage_of(enum table_id id)
{
    return id == TABLE_METRICS || id == TABLE_NOISE ? "evaluate" : id == TABLE_CHARTS ? "plot" : "explain";
}

int query_load(struct query *query, enum table_id id)
{
    const struct table *table = &tables[id];
    char *name = text_new("%s.csv", table->name);
    char *path = name ? run_file(query->run, name) : NULL;
    int result;
    if (!path) result = error_memory();
    else if (access(path, F_OK) == 0) result = load_file(query, table, path);
    else if (id < TABLE_RAW_COUNT) result = error(FAIL_INPUT, "%s: is missing; expected it in every run", path);
    else result = error(FAIL_INPUT, "%s: is missing; 'whyfast %s %s' makes it", path, stage_of(id), query->run->path);
    free(path);
    free(name);
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
        if (value) sqlite3_bind_text(statement, i, value, -1, SQLITE_TRANSIENT);
        else sqlite3_bind_null(statement, i);
    }
    return 0;
}

static int prepare(struct query *query, const char *place, const char *sql, const struct scope *scope, sqlite3_stmt **statement)
{
    const char *rest = NULL;
    *statement = NULL;
    if (sqlite3_prepare_v2(query->database, sql, -1, statement, &rest) != SQLITE_OK) return database_error(query, place, sql);
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
            name[i] = sqlite3_column_name(statement, i);
            value[i] = (const char *)sqlite3_column_text(statement, i);
        }
        const struct scope row = {scope, columns, name, value};
        result = visit(context, &row);
    }
    if (!result && status != SQLITE_DONE) result = database_error(query, place, sql);
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

int query_csv(struct query *query, const char *place, const char *sql, const struct scope *scope, const char *directory, const char *name)
{
    sqlite3_stmt *statement;
    struct output output;
    int result = prepare(query, place, sql, scope, &statement);
    if (result) return result;
    result = output_begin(&output, directory, name);
    if (!result) {
        struct csv_writer writer = {.file = output.file};
        int status;
        for (int i = 0; i < sqlite3_column_count(statement); i++) csv_text(&writer, sqlite3_column_name(statement, i));
        csv_end(&writer);
        while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
            for (int i = 0; i < sqlite3_column_count(statement); i++) write_cell(&writer, statement, i);
            csv_end(&writer);
        }
        result = output_end(&output, status == SQLITE_DONE ? 0 : database_error(query, place, sql));
    }
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
                             " UNION SELECT up.family, up.variant, v.after FROM up JOIN variants v ON v.family = up.family AND v.variant = up.at WHERE v.after IS NOT NULL)"
                             " SELECT v.family, v.variant, v.after AS prev, (SELECT up.at FROM up LEFT JOIN variants w ON w.family = up.family AND w.variant = up.at"
                             "  WHERE up.family = v.family AND up.variant = v.variant AND w.after IS NULL) AS first FROM variants v;"
                             "CREATE INDEX steps_of_key ON steps_of(family, variant);"
                             "CREATE INDEX %s_best ON %s(family, variant, size, block, best)", source, source);
    if (!result)
        result = query_write(query,
                             "CREATE VIEW ladder AS SELECT %s%s%s, s.prev AS after FROM %s cur JOIN steps_of s ON s.family = cur.family AND s.variant = cur.variant"
                             " LEFT JOIN %s prev ON prev.family = cur.family AND prev.variant = s.prev AND prev.size = cur.size AND prev.block = cur.block AND prev.best = 1%s"
                             " LEFT JOIN %s first ON first.family = cur.family AND first.variant = s.first AND first.size = cur.size AND first.block = cur.block AND first.best = 1%s",
                             text_string(&list.own), text_string(&list.prev), text_string(&list.first), source, source,
                             list.has_repeat ? " AND prev.repeat = cur.repeat" : "", source, list.has_repeat ? " AND first.repeat = cur.repeat" : "");
    text_free(&list.own);
    text_free(&list.prev);
    text_free(&list.first);
    return result;
}
