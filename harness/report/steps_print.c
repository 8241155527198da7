#include "report/steps_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/print_table.h"
#include "base/terminal.h"
#include "query/variant_names.h"
#include "report/steps_print.sql.h"
#include "run/recorded_runs.h"

static const struct print_column columns[] = {
    {.name = "family"},
    {.name = "variant", .head = "rung"},
    {.name = "size"},
    {.name = "block", .kind = PRINT_NUMBER},
    {.name = "sweep", .kind = PRINT_NUMBER},
    {.name = "device", .kind = PRINT_NUMBER},
    {.name = "time_ns", .head = "time", .kind = PRINT_TIME},
    {.name = "after"},
    {.name = "speedup", .kind = PRINT_NUMBER},
    {.name = "ratio", .head = "speed-up", .kind = PRINT_RIGHT, .is_shown_only = 1},
    {.name = "verdict"},
    {.name = "cause"},
    {.name = "title"},
    {.name = "saved_ns", .kind = PRINT_NUMBER},
    {.name = "share_pct", .kind = PRINT_NUMBER},
    {.name = "sentence"},
    {.name = "words", .head = "main cause", .place = PRINT_REMARK, .is_shown_only = 1},
};

/* The page, to which a table is added for each ladder: the times of a table have one unit. */
struct steps_page {
    struct text text;
    const struct terminal *screen;
    struct query *query;
    const char *asked; /* sizes, or NULL */
};

/* Columns: family, title, size, whether it has steps. */
static int append_ladder(void *context, const struct scope *row)
{
    struct steps_page *page = context;
    struct print_table table = {.name = "steps", PRINT_COLUMNS_OF(columns)};
    const struct scope scope =
        SCOPE_OF(STRINGS("family", "asked"), STRINGS(row->value[0], page->asked));
    struct text words = {0};
    if (page->text.length) text_append(&page->text, "\n");
    text_format(&words, "%s: %s, %s", row->value[0], row->value[1], row->value[2]);
    terminal_paragraph(&page->text, page->screen, STYLE_HEADING, 0, "", text_string(&words));
    text_free_piece(&words, &page->text);
    const int result = query_print_rows(page->query, steps_print_sql, &scope, &table);
    print_table_append(&page->text, &table, page->screen);
    print_table_free(&table);
    return result;
}

static int print_page(struct query *query, const struct scope *scope,
                      const struct steps_options *options)
{
    static const char pair_sql[] =
        "SELECT 'The run has no steps' || iif(count(*) < 2, ', for it has one kernel.', printf('. "
        "''whyfast explain %s %s'' explains how two kernels differ.', :path, group_concat(name, "
        "' '))) FROM (SELECT family || '/' || variant AS name FROM variants ORDER BY rung LIMIT 2)";
    static const char ladders_sql[] = "SELECT DISTINCT family, ladder, size FROM (";
    const struct terminal screen = terminal_of_stdout();
    struct steps_page page = {
        .screen = &screen, .query = query, .asked = scope_value(scope, "asked", NULL)};
    const struct path path_typed = shell_word(recorded_word(query->run));
    const struct scope path = SCOPE_OF(STRINGS("path"), STRINGS(path_typed.at));
    struct text words = {0};
    char *steps = NULL, *without = NULL, *sql = text_new("%s%s)", ladders_sql, steps_print_sql);
    int result = sql ? query_each(query, NULL, sql, scope, append_ladder, &page) : error_memory();
    if (!result) result = query_text(query, NULL, "SELECT 1 FROM steps LIMIT 1", NULL, &steps);
    if (!result) result = query_text(query, NULL, pair_sql, &path, &without);
    text_append(&page.text, "\n");
    terminal_paragraph(
        &page.text, &screen, STYLE_PLAIN, 0, "",
        steps ? "Each step has the speed-up over the rung that it follows (the one above, unless "
                "'over' names another), and its main cause with the time that it saved "
                "(\xE2\x88\x92) or cost (+). 'whyfast explain "
                "FAMILY/NUMBER' explains a step."
        : without ? without
                  : "");
    text_append(&page.text, "\n");
    recorded_describe(&words, query->run, options->recorded);
    terminal_paragraph(&page.text, &screen, STYLE_PLAIN, 0, "", text_string(&words));
    text_free_piece(&words, &page.text);
    free(without);
    free(steps);
    free(sql);
    return page_print(stdout, &page.text, result);
}

static int print_data(struct query *query, const struct scope *scope, enum print_form form)
{
    struct print_table table = {.name = "steps", PRINT_COLUMNS_OF(columns)};
    int result = query_print_rows(query, steps_print_sql, scope, &table);
    if (!result) result = print_table_print(&table, form, "explain.steps/2", stdout);
    print_table_free(&table);
    return result;
}

static int say_sizes(struct query *query, const struct scope *scope, const char *asked)
{
    char *sizes = NULL;
    int result = query_text(query, NULL,
                            "SELECT group_concat(size, ', ') FROM (SELECT DISTINCT size FROM "
                            "metrics WHERE :family IS NULL OR family = :family ORDER BY "
                            "CAST(size AS INTEGER), size)",
                            scope, &sizes);
    if (!result)
        result = error(FAIL_USAGE, "%s has no size %s; it has %s", recorded_title(query->run),
                       asked, sizes ? sizes : "none");
    free(sizes);
    return result;
}

static int print_steps(struct query *query, const struct steps_options *options)
{
    char list[SIZE_LIST] = "", *any = NULL;
    const struct scope scope =
        SCOPE_OF(STRINGS("family", "asked"), STRINGS(options->family, options->size ? list : NULL));
    int result = options->size ? size_list(options->size, list) : 0;
    if (!result)
        result = query_text(query, NULL,
                            "SELECT 1 FROM metrics WHERE (:family IS NULL OR family = :family) AND "
                            "(:asked IS NULL OR instr(:asked, ',' || size || ',') > 0) LIMIT 1",
                            &scope, &any);
    if (!result && !any && options->size) result = say_sizes(query, &scope, options->size);
    free(any);
    if (result) return result;
    return options->form == PRINT_SCREEN ? print_page(query, &scope, options)
                                         : print_data(query, &scope, options->form);
}

int steps_print(struct query *query, const struct steps_options *options)
{
    int result = QUERY_LOAD(query, TABLE_FAMILIES, TABLE_METRICS, TABLE_STEPS, TABLE_SAID,
                            TABLE_VARIANTS, TABLE_POINTS);
    if (!result) result = query_make_sizes(query);
    return result ? result : print_steps(query, options);
}
