#include "report/program_print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/terminal.h"
#include "base/text.h"
#include "explain/account_sentence.h"
#include "explain/causes.h"
#include "explain/limiters.sql.h"
#include "explain/resources.sql.h"
#include "query/query.h"
#include "report/program_print.sql.h"

static const struct print_column columns[] = {
    {.name = "rank", .head = "rank", .kind = PRINT_NUMBER},
    {.name = "launches", .head = "launches", .kind = PRINT_NUMBER},
    {.name = "total_ns", .head = "total", .kind = PRINT_TIME},
    {.name = "median_ns", .head = "median", .kind = PRINT_TIME, .is_apart = 1},
    {.name = "share_pct", .head = "share %", .kind = PRINT_NUMBER, .digits = 1},
    {.name = "conflicts_pct", .head = "conflicts %", .kind = PRINT_NUMBER, .digits = 1},
    {.name = "limiter", .head = "limited by"},
    {.name = "title", .head = "kernel", .place = PRINT_WORDS, .is_shown_only = 1},
    {.name = "kernel"}, /* as it is typed: without characters that a shell reads */
};
enum { KERNEL = sizeof columns / sizeof *columns - 1 };

/* The largest part that may still be gained from the first kernel, and what to try. */
static int append_advice(struct query *query, const struct print_table *table, struct text *page)
{
    static const char sql[] =
        "SELECT printf('still to be gained from %s: %s, %s', :kernel, title, amount) || "
        "coalesce('; ' "
        "|| aside, '') || coalesce('. ' || try, '') FROM advice WHERE family || '/' || variant = "
        ":kernel ORDER BY place LIMIT 1";
    const struct scope scope =
        SCOPE_OF(STRINGS("kernel"), STRINGS(table->count ? table->cell[KERNEL].text : NULL));
    const struct terminal screen = {.columns = terminal_of_stdout().columns};
    char *words = NULL;
    const int result = query_text(query, NULL, sql, &scope, &words);
    if (words) terminal_paragraph(page, &screen, STYLE_PLAIN, 0, "", words);
    free(words);
    return result;
}

static int print_rows(const struct run *run, struct query *query, const struct print_table *table)
{
    const struct terminal screen = {.columns = terminal_of_stdout().columns};
    struct text page = {0};
    print_table_append(&page, table, &screen);
    const int result = append_advice(query, table, &page);
    const struct path typed = shell_word(run->path);
    const char *program = program_name(), *path = typed.at;
    terminal_line(&page, "run: %s\n  %s report %s", run->path, program, path);
    if (table->count)
        terminal_line(&page, "  %s lines %s %s", program, path, table->cell[KERNEL].text);
    if (table->count > KERNEL + 1)
        terminal_line(&page, "  %s explain %s %s %s", program, path, table->cell[KERNEL].text,
                      table->cell[2 * KERNEL + 1].text);
    return page_print(stderr, &page, result);
}

static int load(struct query *query)
{
    struct records records;
    int result = records_read_own(&records);
    if (result) return result;
    result = causes_names(query, &records);
    records_free(&records);
    if (!result)
        result = QUERY_LOAD(query, TABLE_VARIANTS, TABLE_SAMPLES, TABLE_DEMANDS, TABLE_CONFLICTS,
                            TABLE_REMAINS);
    return result ? result : query_write(query, "%s %s", resources_sql, limiters_sql);
}

int program_print(const struct run *run, enum print_form form)
{
    struct print_table table = {.name = "kernels", PRINT_COLUMNS_OF(columns)};
    const struct scope scope =
        SCOPE_OF(STRINGS("most"), STRINGS(form == PRINT_SCREEN ? "64" : NULL));
    struct query query;
    const enum message_level level = message_level_set(MESSAGE_QUIET);
    message_level_set(level);
    if (level == MESSAGE_QUIET && form == PRINT_SCREEN) return 0;
    int result = query_open(&query, run);
    if (result) return result;
    result = load(&query);
    if (!result) result = query_print_rows(&query, program_print_sql, &scope, &table);
    if (!result)
        result = form == PRINT_SCREEN ? print_rows(run, &query, &table)
                                      : print_table_print(&table, form, "run/1", stderr);
    print_table_free(&table);
    query_close(&query);
    return result;
}
