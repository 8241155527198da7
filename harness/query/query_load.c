/*
 * Loads a run's CSV files into tables of the database. A stranger's run is checked while it is read
 * (run/table_rows.h): names of columns are bare identifiers; the keys of points, and other cells
 * that become a file name, an anchor or a word of a command line, are plain names (COLUMN_NAME).
 * Other text may be anything, and is escaped where it is written: in reports (report/report.c),
 * commands of gnuplot (report/plot.c), JSON (text_write_json), on a terminal (base/terminal.h,
 * text_write_visible).
 */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "query/query.h"

/* Creates the table and prepares the statement that inserts a row of the file. Columns of the file
 * come first, without those that are ignored, then those that it lacks. */
static int create_table(struct query *query, const struct table_rows *rows, sqlite3_stmt **insert)
{
    /* REAL, not NUMERIC: SQLite divides whole numbers as whole numbers. */
    static const char *const type[] = {
        [COLUMN_TEXT] = "TEXT",   [COLUMN_KEY] = "TEXT",    [COLUMN_NAME] = "TEXT",
        [COLUMN_MAYBE] = "TEXT",  [COLUMN_NUMBER] = "REAL", [COLUMN_COUNT] = "INTEGER",
        [COLUMN_SIGN] = "INTEGER"};
    const char *separator = "";
    struct text names = {0}, values = {0};
    for (int i = 0; i < rows->width; i++) {
        if (!rows->column[i]) continue;
        text_format(&names, "%s\"%s\" %s", separator, rows->name[i], type[rows->column[i]->kind]);
        text_format(&values, "%s?%d", separator, i + 1);
        separator = ", ";
    }
    for (const struct column *column = rows->table->columns; column->name; column++) {
        if (table_rows_find(rows, column->name) >= 0) continue;
        text_format(&names, "%s\"%s\" %s", separator, column->name, type[column->kind]);
        text_format(&values, "%s%s", separator, column->kind == COLUMN_COUNT ? "0" : "NULL");
        separator = ", ";
    }
    char *sql = text_new("INSERT INTO %s VALUES(%s)", rows->table->name, text_string(&values));
    int result =
        !sql || names.failed || values.failed
            ? error_memory()
            : query_write(query, "CREATE TABLE %s(%s)", rows->table->name, text_string(&names));
    if (!result) result = query_prepare_write(query, sql, insert);
    free(sql);
    text_free(&names);
    text_free(&values);
    return result;
}

static void bind_cell(sqlite3_stmt *statement, int at, const struct table_rows *rows)
{
    enum { DIGITS = 18 }; /* always fit into 64 bits */
    const char *cell = rows->reader.cell[at];
    const enum column_kind kind = rows->column[at]->kind;
    if (!*cell)
        sqlite3_bind_null(statement, at + 1);
    else if (kind == COLUMN_NUMBER)
        sqlite3_bind_double(statement, at + 1, rows->number[at]);
    else if (kind == COLUMN_SIGN || (kind == COLUMN_COUNT && strlen(cell) <= DIGITS))
        sqlite3_bind_int64(statement, at + 1, strtoll(cell, NULL, 10));
    else
        sqlite3_bind_text(statement, at + 1, cell, -1, SQLITE_STATIC);
}

static int insert_rows(struct query *query, struct table_rows *rows, sqlite3_stmt *statement)
{
    int more = 0, result = query_write(query, "BEGIN");
    while (!result && (more = table_rows_next(rows)) > 0) {
        for (int i = 0; i < rows->width; i++)
            if (rows->column[i]) bind_cell(statement, i, rows);
        if (sqlite3_step(statement) != SQLITE_DONE)
            result = query_error(query, NULL, sqlite3_sql(statement));
        sqlite3_reset(statement);
        query->guard.rows += !result;
    }
    if (!result) result = more;
    return result ? result : query_write(query, "COMMIT");
}

int query_load(struct query *query, enum table_id id)
{
    return query_load_some(query, id, query->keeps, query->keeps_context);
}

int query_load_tables(struct query *query, const enum table_id *table)
{
    int result = 0;
    for (; *table != TABLE_COUNT && !result; table++) result = query_load(query, *table);
    return result;
}

int query_load_some(struct query *query, enum table_id id, row_filter *keeps, void *context)
{
    struct table_rows rows;
    sqlite3_stmt *insert = NULL;
    if (query_has_column(query, tables[id].name, NULL)) return 0;
    int result = table_rows_open(&rows, query->run, id);
    if (result) return result;
    rows.keeps = keeps;
    rows.context = context;
    result = create_table(query, &rows, &insert);
    if (!result && rows.is_there) result = insert_rows(query, &rows, insert);
    sqlite3_finalize(insert);
    table_rows_close(&rows);
    return result;
}

int query_write_files(struct query *query, const enum table_id *table, struct atomic_files *group)
{
    int result = 0;
    for (; *table != TABLE_COUNT && !result; table++) {
        FILE *file;
        char name[64], sql[64];
        snprintf(name, sizeof name, "%s.csv", tables[*table].name);
        snprintf(sql, sizeof sql, "SELECT * FROM %s", tables[*table].name);
        result = atomic_files_begin(group, query->run->directory, name, &file);
        if (!result) result = query_csv(query, NULL, sql, NULL, file);
    }
    return result;
}
