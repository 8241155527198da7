#include "run/table_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "catalog/registry.h"

enum { MOST_NAME = 64 };

/* Returns the table's column of this name, or NULL for an unknown one. */
static const struct column *table_column(const struct table *table, const char *name)
{
    for (const struct column *column = table->columns; column->name; column++)
        if (!strcmp(column->name, name)) return column;
    return NULL;
}

static int lacks(const struct csv_reader *header, const struct column *column)
{
    for (int i = 0; i < header->count; i++)
        if (!strcmp(header->cell[i], column->name)) return 0;
    return 1;
}

/* Columns that the program does not know may stand anywhere. */
static int check_header(const struct csv_reader *reader, const struct table *table)
{
    int at = 0;
    for (const struct column *column = table->columns; column->name; column++) {
        while (at < reader->count && !table_column(table, reader->cell[at]) &&
               !lacks(reader, column))
            at++;
        if (at < reader->count && !strcmp(reader->cell[at], column->name))
            at++;
        else if (column->later && lacks(reader, column))
            continue;
        else if (at >= reader->count)
            return error(FAIL_INPUT, "%s:1: %d columns; expected column '%s'", reader->path,
                         reader->count, column->name);
        else
            return error(FAIL_INPUT, "%s:1: column '%s'; expected '%s'", reader->path,
                         reader->cell[at], column->name);
    }
    for (int i = 0; i < reader->count; i++) {
        const char *name = reader->cell[i];
        if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")])
            return error(FAIL_INPUT, "%s:1: column name '%s'; expected a bare identifier",
                         reader->path, name);
        for (int j = 0; j < i; j++)
            if (!strcmp(reader->cell[j], name))
                return error(FAIL_INPUT, "%s:1: column '%s' appears twice", reader->path, name);
    }
    return 0;
}

#define DIGITS "0123456789"

static int is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static int is_name(const char *text)
{
    size_t length = 0;
    while (is_letter_or_digit(text[length]) || (text[length] && strchr("_.-", text[length])))
        length++;
    return length <= MOST_NAME && !text[length] && is_letter_or_digit(*text);
}

/* A number is returned in *number. */
static int check_cell(const struct csv_reader *reader, const struct column *column,
                      const char *cell, double *number)
{
    const char *expected = NULL;
    switch (column->kind) {
    case COLUMN_TEXT: break;
    case COLUMN_COUNT:
        if (!*cell || cell[strspn(cell, DIGITS)]) expected = "a whole number";
        break;
    case COLUMN_SIGN:
        if (*cell && strcmp(cell, "0") && strcmp(cell, "1") && strcmp(cell, "-1"))
            expected = "1, 0, -1 or nothing";
        break;
    case COLUMN_NUMBER:
        if (*cell && !csv_parse_number(cell, number)) expected = "a number or nothing";
        break;
    case COLUMN_KEY:
    case COLUMN_NAME:
        if (!*cell)
            return error(FAIL_INPUT, "%s:%d: column '%s' is empty", reader->path, reader->line,
                         column->name);
        if (column->kind == COLUMN_KEY) break; /* fall through */
    case COLUMN_MAYBE:
        if (*cell && !is_name(cell))
            expected = "a name of at most 64 letters, digits, '_', '.' and '-'";
    }
    if (!expected) return 0;
    return error(FAIL_INPUT, "%s:%d: column '%s': expected %s, found '%.80s'", reader->path,
                 reader->line, column->name, expected, cell);
}

/* Checks that the file ends in a line feed, without which it is truncated. */
static int check_end(FILE *file, const char *path)
{
    struct stat state;
    char last;
    if (fstat(fileno(file), &state) || state.st_size == 0)
        return error(FAIL_INPUT, "%s:1: the file is empty; expected a header", path);
    if (pread(fileno(file), &last, 1, state.st_size - 1) == 1 && last != '\n')
        return error(FAIL_INPUT, "%s: the last line is not complete; the file is truncated", path);
    return 0;
}

/* These tables have a column for each record, which are the run's; in other tables an unknown
 * column is ignored. */
static int has_columns_of_records(const struct table *table)
{
    return table == &tables[TABLE_METRICS] || table == &tables[TABLE_NOISE] ||
           table == &tables[TABLE_KERNEL_COUNTERS];
}

static int read_header(struct table_rows *rows)
{
    static const struct column of_record = {"value", COLUMN_NUMBER, 0};
    struct csv_reader *reader = &rows->reader;
    int result = rows->end < 0 ? check_end(reader->file, rows->path) : 0;
    if (!result) result = csv_next(reader);
    if (result > 0) result = check_header(reader, rows->table);
    if (result) return result;
    rows->width = reader->count;
    rows->column = calloc((size_t)rows->width + 1, sizeof *rows->column);
    rows->name = calloc((size_t)rows->width + 1, sizeof *rows->name);
    rows->number = calloc((size_t)rows->width + 1, sizeof *rows->number);
    if (!rows->column || !rows->name || !rows->number) return error_memory();
    for (int i = 0; i < rows->width && !result; i++) {
        const struct column *column = table_column(rows->table, reader->cell[i]);
        rows->column[i] = column || !has_columns_of_records(rows->table) ? column : &of_record;
        rows->name[i] = strdup(reader->cell[i]);
        if (!rows->name[i]) result = error_memory();
    }
    if (result) return result;
    rows->size_column = table_rows_find(rows, "size");
    rows->code_column = rows->table == &tables[TABLE_LINES] ? table_rows_find(rows, "code_of") : -1;
    return 0;
}

/* Messages name the file that the user has. */
static int name_source(struct table_rows *rows, const struct run *run, enum table_id id)
{
    char *path = text_new("%s/%s.csv", run_source(run, id), rows->table->name);
    if (!path) return error_memory();
    free(rows->path);
    rows->path = path;
    rows->reader.path = path;
    return 0;
}

static const char *cell_of(const struct table_rows *rows, const char *name)
{
    const int at = table_rows_find(rows, name);
    return at < 0 ? "" : rows->reader.cell[at];
}

/* Returns FAIL_INPUT if kernels.csv has kernels whose instructions lines.csv, which the run lacks,
 * must have. */
static int check_no_lines(const struct run *run, const char *path)
{
    struct table_rows rows;
    int found = 0, result = table_rows_open(&rows, run, TABLE_KERNELS);
    if (result) return result;
    while (!found && (result = table_rows_next(&rows)) > 0)
        found = !strcmp(cell_of(&rows, "counts_status"), "ok") ||
                !strcmp(cell_of(&rows, "samples_status"), "ok");
    table_rows_close(&rows);
    return !found ? result
                  : error(FAIL_INPUT,
                          "%s: is missing; by kernels.csv, instructions were counted; 'whyfast "
                          "collect %s --sets lines' counts them again",
                          path, run->path);
}

int table_rows_open(struct table_rows *rows, const struct run *run, enum table_id id)
{
    memset(rows, 0, sizeof *rows);
    rows->table = &tables[id];
    rows->path = text_new("%s/%s.csv", run->directory, rows->table->name);
    if (!rows->path) return error_memory();
    int result = 0;
    rows->end = run->is_piece ? run->journal.length[id] : -1;
    if (run->is_piece && rows->end < 0) return 0; /* nothing of it was finished */
    if (access(rows->path, F_OK) == 0) {
        result = csv_open(&rows->reader, rows->path);
        rows->is_there = !result;
        if (!result) result = name_source(rows, run, id);
        if (!result) result = read_header(rows);
    } else if (!rows->table->later) {
        result = id < TABLE_RAW_COUNT
                     ? error(FAIL_INPUT, "%s: is missing; every run must have it", rows->path)
                     : error(FAIL_INPUT, "%s: is missing; 'whyfast evaluate %s' creates it",
                             rows->path, shell_word(run->path).at);
    } else if (id == TABLE_LINES) {
        result = check_no_lines(run, rows->path);
    }
    if (result) table_rows_close(rows);
    return result;
}

int table_rows_next(struct table_rows *rows)
{
    struct csv_reader *reader = &rows->reader;
    do {
        const int is_end = !rows->is_there || (rows->end >= 0 && ftell(reader->file) >= rows->end);
        const int more = is_end ? 0 : csv_next(reader);
        if (more <= 0) return more;
        if (reader->count != rows->width)
            return error(FAIL_INPUT, "%s:%d: %d cells; expected %d", reader->path, reader->line,
                         reader->count, rows->width);
        const int result =
            rows->code_column < 0 ? 0 : line_codes_expand(&rows->codes, reader, rows->code_column);
        if (result) return result;
    } while (rows->keeps && !rows->keeps(rows->context, rows));
    for (int i = 0; i < rows->width; i++) {
        const int result =
            rows->column[i] ? check_cell(reader, rows->column[i], reader->cell[i], &rows->number[i])
                            : 0;
        if (result) return result;
    }
    return 1;
}

int table_rows_find(const struct table_rows *rows, const char *name)
{
    int at = rows->width - 1;
    while (at >= 0 && strcmp(rows->name[at], name)) at--;
    return at;
}

void table_rows_close(struct table_rows *rows)
{
    if (rows->is_there) csv_close(&rows->reader);
    for (int i = 0; rows->name && i < rows->width; i++) free(rows->name[i]);
    free(rows->name);
    free(rows->column);
    free(rows->number);
    free(rows->path);
    line_codes_free(&rows->codes);
    memset(rows, 0, sizeof *rows);
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Adds the point of a row if it was verified. */
static int add_row(struct selection *selection, const struct table_rows *rows)
{
    const struct csv_reader *row = &rows->reader;
    const char *family = cell_of(rows, "family"), *variant = cell_of(rows, "variant");
    if (strcmp(cell_of(rows, "status"), "ok")) return 0;
    struct selected selected = {
        .family = registry_family(family),
        .variant = registry_variant(family, variant),
        .point = {.block = (int)strtol(cell_of(rows, "block"), NULL, 10),
                  .sweep = (int)strtol(cell_of(rows, "sweep"), NULL, 10),
                  .device = (int)strtol(cell_of(rows, "device"), NULL, 10)}};
    if (!selected.family || !selected.variant)
        return error(FAIL_INPUT, "%s:%d: this program has no variant %s/%s", row->path, row->line,
                     family, variant);
    if (shape_parse(&selected.point.shape, cell_of(rows, "size"), selected.family->rank))
        return error(FAIL_INPUT, "%s:%d: expected a size", row->path, row->line);
    return selection_add(selection, &selected);
}

int selection_of_run(struct selection *selection, const struct run *run)
{
    struct table_rows rows;
    memset(selection, 0, sizeof *selection);
    int result = table_rows_open(&rows, run, TABLE_POINTS);
    if (result) return result;
    while (!result && (result = table_rows_next(&rows)) > 0) result = add_row(selection, &rows);
    table_rows_close(&rows);
    if (result) selection_free(selection);
    return result;
}
