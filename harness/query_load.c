/*
 * From a run's CSV files into tables, checked: header, number of cells, kinds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "query.h"
#include "text.h"

/* The table's column of this name; NULL for one that the program does not know. */
static const struct column *find_column(const struct table *table, const char *name)
{
    for (const struct column *column = table->columns; column->name; column++)
        if (!strcmp(column->name, name)) return column;
    return NULL;
}

/* 1 when the file lacks the column. */
static int is_lacking(const struct csv_reader *header, const struct column *column)
{
    for (int i = 0; i < header->count; i++)
        if (!strcmp(header->cell[i], column->name)) return 0;
    return 1;
}

static int check_header(const struct csv_reader *reader, const struct table *table)
{
    int at = 0;
    for (const struct column *column = table->columns; column->name; column++) {
        if (at < reader->count && !strcmp(reader->cell[at], column->name)) at++;
        else if (column->later && is_lacking(reader, column)) continue;
        else if (at >= reader->count)
            return error(FAIL_INPUT, "%s:1: %d columns; expected column '%s'", reader->path, reader->count, column->name);
        else return error(FAIL_INPUT, "%s:1: column '%s'; expected '%s'", reader->path, reader->cell[at], column->name);
    }
    for (int i = at; i < reader->count; i++) {
        const char *name = reader->cell[i];
        if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
            return error(FAIL_INPUT, "%s:1: column name '%s'; expected a bare identifier", reader->path, name);
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
    if (column->kind == COLUMN_KEY && !*cell)
        return error(FAIL_INPUT, "%s:%d: column '%s' is empty", reader->path, reader->line, column->name);
    if (column->kind == COLUMN_COUNT && (!*cell || cell[strspn(cell, "0123456789")]))
        return error(FAIL_INPUT, "%s:%d: column '%s': expected a whole number, found '%s'", reader->path, reader->line, column->name, cell);
    if (column->kind == COLUMN_NUMBER && *cell && !is_number(cell))
        return error(FAIL_INPUT, "%s:%d: column '%s': expected a number or nothing, found '%s'", reader->path, reader->line, column->name,
                     cell);
    return 0;
}

/* The columns of the file, then those that it lacks. */
static int create_table(struct query *query, const struct table *table, const struct csv_reader *header)
{
    /* REAL, not NUMERIC: SQLite divides whole numbers as whole numbers. */
    static const char *const type[] = {[COLUMN_TEXT] = "TEXT", [COLUMN_KEY] = "TEXT", [COLUMN_NUMBER] = "REAL", [COLUMN_COUNT] = "INTEGER"};
    const char *separator = "";
    struct text sql = {0};
    text_format(&sql, "CREATE TABLE %s(", table->name);
    for (int i = 0; i < header->count; i++, separator = ", ") {
        const struct column *column = find_column(table, header->cell[i]);
        text_format(&sql, "%s\"%s\" %s", separator, header->cell[i], type[column ? column->kind : COLUMN_NUMBER]);
    }
    for (const struct column *column = table->columns; column->name; column++) {
        if (!is_lacking(header, column)) continue;
        text_format(&sql, "%s\"%s\" %s", separator, column->name, type[column->kind]);
        separator = ", ";
    }
    text_append(&sql, ")");
    const int result = sql.failed ? error_memory() : query_write(query, "%s", text_string(&sql));
    text_free(&sql);
    return result;
}

/* The table of a run that lacks the file. */
static int create_empty(struct query *query, const struct table *table)
{
    const struct csv_reader nothing = {0};
    return create_table(query, table, &nothing);
}

/* The statement that inserts a row of the file, and what each of its cells must be; the caller frees both, also after a failure. */
static int prepare_rows(const struct table *table, const struct csv_reader *header, struct text *sql, const struct column **columns)
{
    static const struct column unknown = {"value", COLUMN_NUMBER, 0};
    text_format(sql, "INSERT INTO %s VALUES(", table->name);
    for (int i = 0; i < header->count; i++) {
        const struct column *column = find_column(table, header->cell[i]);
        columns[i] = column ? column : &unknown;
        text_append(sql, i ? ",?" : "?");
    }
    for (const struct column *column = table->columns; column->name; column++)
        if (is_lacking(header, column)) text_append(sql, ",NULL");
    text_append(sql, ")");
    return sql->failed ? error_memory() : 0;
}

static int insert_rows(struct query *query, const struct table *table, struct csv_reader *reader)
{
    const int width = reader->count;
    const struct column **columns = calloc((size_t)width + 1, sizeof *columns);
    struct text sql = {0};
    sqlite3_stmt *statement = NULL;
    int result = columns ? prepare_rows(table, reader, &sql, columns) : error_memory();
    if (!result) result = query_write(query, "BEGIN");
    query->writable = 1;
    if (!result && sqlite3_prepare_v2(query->database, text_string(&sql), -1, &statement, NULL) != SQLITE_OK)
        result = query_error(query, NULL, text_string(&sql));
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
            result = check_cell(reader, columns[i], reader->cell[i]);
            if (*reader->cell[i]) sqlite3_bind_text(statement, i + 1, reader->cell[i], -1, SQLITE_STATIC);
            else sqlite3_bind_null(statement, i + 1);
        }
        if (!result && sqlite3_step(statement) != SQLITE_DONE) result = query_error(query, NULL, text_string(&sql));
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    text_free(&sql);
    free(columns);
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
    return id == TABLE_METRICS || id == TABLE_NOISE || id == TABLE_KERNEL_COUNTERS || id == TABLE_IMPOSSIBLE ? "evaluate" : id == TABLE_CHARTS ? "plot" : "explain";
}

int query_load(struct query *query, enum table_id id)
{
    const struct table *table = &tables[id];
    char *name = text_new("%s.csv", table->name);
    char *path = name ? run_file(query->run, name) : NULL;
    int result;
    if (!path) result = error_memory();
    else if (access(path, F_OK) == 0) result = load_file(query, table, path);
    else if (table->later) result = create_empty(query, table);
    else if (id < TABLE_RAW_COUNT) result = error(FAIL_INPUT, "%s: is missing; expected it in every run", path);
    else result = error(FAIL_INPUT, "%s: is missing; 'whyfast %s %s' makes it", path, stage_of(id), query->run->path);
    free(path);
    free(name);
    return result;
}
