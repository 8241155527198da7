#include "evaluate/counter_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* ---- reading --------------------------------------------------------------------------------- */

static int choose_columns(struct counter_rows *rows, const struct records *records)
{
    rows->record = calloc((size_t)records->count + 1, sizeof *rows->record);
    if (!rows->record) return error_memory();
    for (int i = 0; i < records->count; i++)
        if (records->record[i].kind == RECORD_COUNTER)
            rows->record[rows->columns++] = &records->record[i];
    return 0;
}

/* The search begins behind the column found last: counters come in the same order again and again.
 */
static int find_column(const struct counter_rows *rows, const char *name, int last)
{
    for (int i = 1; i <= rows->columns; i++) {
        const int column = (last + i) % rows->columns;
        if (!strcmp(rows->record[column]->name, name)) return column;
    }
    return -1;
}

/* Finds the rowid of the point that a row names in its first five cells: the first one of several,
 * 0 if there is none. */
static int find_point(struct query *query, sqlite3_stmt *find, char *const *cell, int64_t *rowid)
{
    for (int i = 0; i < 3; i++) sqlite3_bind_text(find, i + 1, cell[i], -1, SQLITE_STATIC);
    for (int i = 3; i < 5; i++) sqlite3_bind_int64(find, i + 1, strtoll(cell[i], NULL, 10));
    const int is_found = sqlite3_step(find) == SQLITE_ROW;
    *rowid = is_found ? sqlite3_column_int64(find, 0) : 0;
    const int result = is_found ? 0 : query_error(query, NULL, sqlite3_sql(find));
    sqlite3_reset(find);
    return result;
}

static int read_rows(struct counter_rows *rows, struct query *query, sqlite3_stmt *find)
{
    /* The key of the point, launch, repeat, counter_set, passes, counter, source, value, status. */
    enum { LAUNCH = 5, REPEAT, COUNTER = 9, VALUE = 11 };
    struct table_rows file;
    int last = -1, more = 0, result = table_rows_open(&file, query->run, TABLE_COUNTERS);
    if (result) return result;
    while (!result && (more = table_rows_next(&file)) > 0) {
        char **cell = file.reader.cell;
        struct counter_row row = {.repeat = strtoll(cell[REPEAT], NULL, 10),
                                  .launch = strtoll(cell[LAUNCH], NULL, 10),
                                  .column = find_column(rows, cell[COUNTER], last),
                                  .line = file.reader.line,
                                  .value = *cell[VALUE] ? file.number[VALUE] : NAN};
        query->guard.rows++;
        if (row.column >= 0) last = row.column;
        result = find_point(query, find, cell, &row.point);
        if (result || !row.point) continue;
        struct counter_row *grown = array_with_room(rows->row, rows->count, sizeof *grown);
        if (!grown) {
            result = error_memory();
            break;
        }
        rows->row = grown;
        grown[rows->count++] = row;
    }
    table_rows_close(&file);
    return result ? result : more;
}

static int compare_rows(const void *a, const void *b)
{
    const struct counter_row *x = a, *y = b;
    if (x->point != y->point) return x->point < y->point ? -1 : 1;
    if (x->repeat != y->repeat) return x->repeat < y->repeat ? -1 : 1;
    if (x->launch != y->launch) return x->launch < y->launch ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static int check_twice(const struct counter_rows *rows, const struct query *query)
{
    for (size_t i = 1; i < rows->count; i++) {
        const struct counter_row *row = &rows->row[i];
        if (row->column < 0 || compare_rows(row - 1, row)) continue;
        return error(
            FAIL_INPUT,
            "%s/counters.csv:%d: the counter '%s' of this launch and repeat is there twice",
            query->run->path, row->line > row[-1].line ? row->line : row[-1].line,
            rows->record[row->column]->name);
    }
    return 0;
}

int counter_rows_read(struct counter_rows *rows, struct query *query, const struct records *records)
{
    static const char find_sql[] = "SELECT min(rowid) FROM points WHERE family = ? AND variant = ? "
                                   "AND size = ? AND block = ? AND sweep = ?";
    sqlite3_stmt *find = NULL;
    memset(rows, 0, sizeof *rows);
    int result = choose_columns(rows, records);
    if (!result) result = query_prepare_write(query, find_sql, &find);
    if (!result) result = read_rows(rows, query, find);
    sqlite3_finalize(find);
    if (!result && rows->count > 1) {
        qsort(rows->row, rows->count, sizeof *rows->row, compare_rows);
        result = check_twice(rows, query);
    }
    if (result) counter_rows_free(rows);
    return result;
}

void counter_rows_free(struct counter_rows *rows)
{
    free(rows->record);
    free(rows->row);
    memset(rows, 0, sizeof *rows);
}

size_t counter_rows_find(const struct counter_rows *rows, int64_t point, int64_t repeat)
{
    size_t from = 0, to = rows->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const struct counter_row *row = &rows->row[middle];
        if (row->point < point || (row->point == point && row->repeat < repeat))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* ---- tables ---------------------------------------------------------------------------------- */

int counter_rows_make_repeats(const struct counter_rows *rows, struct query *query)
{
    sqlite3_stmt *insert = NULL;
    int result = query_write(query, "CREATE TABLE repeats(point INTEGER, repeat INTEGER); BEGIN");
    if (!result) result = query_prepare_write(query, "INSERT INTO repeats VALUES(?, ?)", &insert);
    for (size_t i = 0; i < rows->count && !result; i++) {
        const struct counter_row *row = &rows->row[i];
        if (i > 0 && row[-1].point == row->point && row[-1].repeat == row->repeat) continue;
        sqlite3_bind_int64(insert, 1, row->point);
        sqlite3_bind_int64(insert, 2, row->repeat);
        if (sqlite3_step(insert) != SQLITE_DONE)
            result = query_error(query, NULL, sqlite3_sql(insert));
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    return result ? result
                  : query_write(query, "COMMIT; CREATE INDEX repeats_point ON repeats(point)");
}

/* Returns 1 if the record takes the sum over all launches, 0 if the first one, else FAIL_INPUT. */
static int counter_is_sum(const struct record *record)
{
    const char *over = record_field(record, "over");
    const int sum = !strcmp(over, "sum");
    if (sum || !strcmp(over, "first")) return sum;
    return error(FAIL_INPUT, "%s:%d: over '%s'; expected sum or first", record->file,
                 record_line(record, "over"), over);
}

struct table_making {
    const struct counter_rows *rows;
    struct query *query;
    struct summed {
        int is_sum, is_known;
        double value;
    } * column;
    sqlite3_stmt *read, *insert;
};

/* A launch without a value makes the sum NAN, which becomes NULL. */
static int insert_row(const struct table_making *making)
{
    const struct counter_rows *rows = making->rows;
    const int64_t point = sqlite3_column_int64(making->read, 1),
                  repeat = sqlite3_column_int64(making->read, 2);
    for (int i = 0; i < rows->columns; i++) {
        making->column[i].is_known = 0;
        making->column[i].value = 0;
    }
    for (size_t i = counter_rows_find(rows, point, repeat); i < rows->count; i++) {
        const struct counter_row *row = &rows->row[i];
        if (row->point != point || row->repeat != repeat) break;
        if (row->column < 0 || (!making->column[row->column].is_sum && row->launch != 0)) continue;
        making->column[row->column].is_known = 1;
        making->column[row->column].value += row->value;
    }
    sqlite3_bind_int64(making->insert, 1, sqlite3_column_int64(making->read, 0));
    for (int i = 0; i < rows->columns; i++)
        sqlite3_bind_double(making->insert, 2 + i,
                            making->column[i].is_known ? making->column[i].value : NAN);
    const int status = sqlite3_step(making->insert);
    sqlite3_reset(making->insert);
    return status == SQLITE_DONE ? 0
                                 : query_error(making->query, NULL, sqlite3_sql(making->insert));
}

static int prepare_table(struct table_making *making, const char *name)
{
    const struct counter_rows *rows = making->rows;
    struct text table = {0}, insert = {0};
    text_format(&table, "CREATE TABLE %s(row_id INTEGER PRIMARY KEY", name);
    text_format(&insert, "INSERT INTO %s VALUES(?", name);
    for (int i = 0; i < rows->columns; i++) {
        text_format(&table, ", %s REAL", rows->record[i]->name);
        text_append(&insert, ", ?");
    }
    text_append(&table, "); BEGIN");
    text_append(&insert, ")");
    int result = table.failed || insert.failed
                     ? error_memory()
                     : query_write(making->query, "%s", text_string(&table));
    if (!result) result = query_prepare_write(making->query, text_string(&insert), &making->insert);
    if (!result)
        result = query_prepare_write(
            making->query, "SELECT row_id, point, repeat FROM m ORDER BY row_id", &making->read);
    text_free(&table);
    text_free(&insert);
    return result;
}

int counter_rows_make_table(const struct counter_rows *rows, struct query *query, const char *name)
{
    struct table_making making = {.rows = rows, .query = query};
    making.column = calloc((size_t)rows->columns + 1, sizeof *making.column);
    int result = making.column ? 0 : error_memory(), status = SQLITE_DONE;
    for (int i = 0; i < rows->columns && !result; i++) {
        making.column[i].is_sum = counter_is_sum(rows->record[i]);
        if (making.column[i].is_sum < 0) result = making.column[i].is_sum;
    }
    if (!result) result = prepare_table(&making, name);
    while (!result && (status = sqlite3_step(making.read)) == SQLITE_ROW)
        result = insert_row(&making);
    if (!result && status != SQLITE_DONE) result = query_error(query, NULL, "reading m");
    sqlite3_finalize(making.read);
    sqlite3_finalize(making.insert);
    free(making.column);
    return result ? result : query_write(query, "COMMIT");
}
