#include "report/program_print.h"

#include <stdio.h>

#include "base/message.h"
#include "base/text.h"
#include "report/program_print.sql.h"
#include "query/query.h"

static const struct print_column columns[] = {
    {.name = "rank", .head = "rank", .kind = PRINT_NUMBER},
    {.name = "launches", .head = "launches", .kind = PRINT_NUMBER},
    {.name = "total_ns", .head = "total", .kind = PRINT_TIME},
    {.name = "median_ns", .head = "median", .kind = PRINT_TIME},
    {.name = "share_pct", .head = "share %", .kind = PRINT_NUMBER, .digits = 1},
    {.name = "conflicts_pct", .head = "conflicts %", .kind = PRINT_NUMBER, .digits = 1},
    {.name = "limiter", .head = "limited by"},
    {.name = "kernel", .head = "kernel", .place = PRINT_WORDS},
};
enum { KERNEL = sizeof columns / sizeof *columns - 1 };
static const char most_on_screen[] = "64";

static int print_rows(const struct run *run, const struct print_table *table)
{
    const struct terminal screen = {.columns = terminal_of_stdout().columns};
    struct text page = {0};
    print_table_append(&page, table, &screen);
    text_format(&page, "run: %s\n  whyfast report %s\n", run->path, run->path);
    if (table->count)
        text_format(&page, "  whyfast lines %s %s\n", run->path, table->cell[KERNEL].text);
    if (table->count > KERNEL + 1)
        text_format(&page, "  whyfast explain %s %s %s\n", run->path, table->cell[KERNEL].text,
                    table->cell[2 * KERNEL + 1].text);
    text_write_visible(stderr, text_string(&page));
    const int result = page.failed ? error_memory() : 0;
    text_free(&page);
    return result;
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

int program_print(const struct run *run, enum print_form form)
{
    struct print_table table = {.name = "kernels", PRINT_COLUMNS_OF(columns)};
    const char *const name[] = {"most"};
    const char *const value[] = {form == PRINT_SCREEN ? most_on_screen : NULL};
    const struct scope scope = {NULL, 1, name, value};
    struct query query;
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    message_level_set(level);
    if (level == MESSAGE_QUIET && form == PRINT_SCREEN) return 0;
    int result = query_open(&query, run);
    if (result) return result;
    result = load(&query);
    if (!result) result = query_print_rows(&query, program_print_sql, &scope, &table);
    if (!result)
        result = form == PRINT_SCREEN ? print_rows(run, &table)
                                      : print_table_print(&table, form, "run", stderr);
    print_table_free(&table);
    query_close(&query);
    return result;
}
