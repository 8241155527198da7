#include "program/program_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/terminal.h"
#include "base/text.h"
#include "program/program_print.sql.h"
#include "query/query.h"

enum { COLUMNS = 7, MOST_ROWS = 64 };

static const char *const heads[COLUMNS] = {"kernel", "launches",   "total",    "median",
                                           "share",  "limited by", "conflicts"};

struct rows {
    int count;
    char *cell[MOST_ROWS][COLUMNS];
    int width[COLUMNS];
};

static int add_row(void *context, const struct scope *row)
{
    struct rows *rows = context;
    if (rows->count == MOST_ROWS) return 0;
    for (int c = 0; c < COLUMNS; c++) {
        char **cell = &rows->cell[rows->count][c];
        *cell = strdup(row->value[c] ? row->value[c] : "");
        if (!*cell) return error_memory();
        const int width = terminal_width(*cell);
        if (width > rows->width[c]) rows->width[c] = width;
    }
    rows->count++;
    return 0;
}

/* Appends a row: the first column and words to the left, numbers to the right. */
static void append_row(struct text *text, const struct rows *rows, int rank,
                       const char *const *cell)
{
    enum { LIMITER = 5 };
    if (rank)
        text_format(text, "%4d", rank);
    else
        text_append(text, "rank");
    for (int c = 0; c < COLUMNS; c++) {
        const int is_left = c == 0 || c == LIMITER, gap = rows->width[c] - terminal_width(cell[c]);
        text_append(text, "  ");
        if (!is_left) terminal_blanks(text, gap);
        terminal_append(text, cell[c], rows->width[c]);
        if (is_left) terminal_blanks(text, gap);
    }
    text_append(text, "\n");
}

static void print_rows(const struct run *run, struct rows *rows)
{
    struct text text = {0};
    for (int c = 0; c < COLUMNS; c++)
        if ((int)strlen(heads[c]) > rows->width[c]) rows->width[c] = (int)strlen(heads[c]);
    append_row(&text, rows, 0, heads);
    for (int r = 0; r < rows->count; r++)
        append_row(&text, rows, r + 1, (const char *const *)rows->cell[r]);
    text_format(&text, "run: %s\n  whyfast report %s\n", run->path, run->path);
    if (rows->count) text_format(&text, "  whyfast lines %s %s\n", run->path, rows->cell[0][0]);
    if (rows->count > 1)
        text_format(&text, "  whyfast explain %s %s %s\n", run->path, rows->cell[0][0],
                    rows->cell[1][0]);
    text_write_visible(stderr, text_string(&text));
    text_free(&text);
}

static int load(struct query *query)
{
    static const enum table_id needed[] = {TABLE_VARIANTS, TABLE_SAMPLES, TABLE_DEMANDS,
                                           TABLE_CONFLICTS};
    int result = 0;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(query, needed[i]);
    return result;
}

int program_print(const struct run *run)
{
    struct rows rows = {0};
    struct query query;
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    message_level_set(level);
    if (level == MESSAGE_QUIET) return 0;
    int result = query_open(&query, run);
    if (result) return result;
    result = load(&query);
    if (!result) result = query_each(&query, NULL, program_print_sql, NULL, add_row, &rows);
    if (!result) print_rows(run, &rows);
    for (int r = 0; r < rows.count; r++)
        for (int c = 0; c < COLUMNS; c++) free(rows.cell[r][c]);
    query_close(&query);
    return result;
}
