#include "report/steps_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/terminal.h"
#include "query/variant_names.h"
#include "report/steps_print.sql.h"
#include "run/recorded_runs.h"

struct steps_page {
    struct text text;
    const struct terminal *screen;
    char family[80]; /* of the row before */
    int rows, steps, name_width;
};

/* Columns of the statement. */
enum { FAMILY, VARIANT, SIZE, AFTER = 7, LADDER = 14, RATIO, WORDS, TIME };
enum { MOST_NAME = 26, TIME_WIDTH = 9, SPEEDUP_WIDTH = 8 };

static void append_ladder(struct steps_page *page, const struct scope *row)
{
    struct text words = {0};
    if (page->rows) text_append(&page->text, "\n");
    text_format(&words, "%s: %s, %s", row->value[FAMILY], row->value[LADDER], row->value[SIZE]);
    terminal_paragraph(&page->text, page->screen, STYLE_HEADING, 0, "", text_string(&words));
    text_free_piece(&words, &page->text);
    snprintf(page->family, sizeof page->family, "%s", row->value[FAMILY]);
}

/* Appends a cell, right-aligned. */
static void append_cell(struct text *label, const char *cell, int width)
{
    terminal_blanks(label, width - terminal_width(cell));
    text_append(label, cell);
}

static int append_step(void *context, const struct scope *row)
{
    struct steps_page *page = context;
    const char *ratio = row->value[RATIO], *time = row->value[TIME], *words = row->value[WORDS];
    struct text label = {0};
    if (strcmp(page->family, row->value[FAMILY])) append_ladder(page, row);
    page->rows++;
    page->steps += row->value[AFTER] != NULL;
    text_append(&label, "  ");
    const int width = terminal_append(&label, row->value[VARIANT], page->name_width);
    terminal_blanks(&label, page->name_width - width + 1);
    append_cell(&label, time ? time : "", TIME_WIDTH);
    if (ratio || words) {
        append_cell(&label, ratio ? ratio : "", SPEEDUP_WIDTH + 1);
        text_append(&label, "  ");
    }
    terminal_paragraph(&page->text, page->screen, STYLE_PLAIN,
                       words ? 2 + page->name_width + 1 + TIME_WIDTH + 1 + SPEEDUP_WIDTH + 2 : 0,
                       text_string(&label), words ? words : "");
    text_free_piece(&label, &page->text);
    return 0;
}

static int print_page(struct query *query, const struct scope *scope,
                      const struct steps_options *options)
{
    const struct terminal screen = terminal_of_stdout();
    struct steps_page page = {.screen = &screen};
    struct text words = {0};
    page.name_width = screen.columns / 3 < MOST_NAME ? screen.columns / 3 : MOST_NAME;
    int result = query_each(query, NULL, steps_print_sql, scope, append_step, &page);
    text_append(&page.text, "\n");
    terminal_paragraph(
        &page.text, &screen, STYLE_PLAIN, 0, "",
        page.steps ? "Each step has the speed-up over the rung that it follows, and its main cause "
                     "with the time that it saved (\xE2\x88\x92) or cost (+). 'whyfast explain FAMILY/NUMBER' explains a step."
                   : "The run has no steps. 'whyfast explain RUN A B' explains the difference "
                     "between two kernels.");
    text_append(&page.text, "\n");
    recorded_describe(&words, query->run, options->recorded);
    terminal_paragraph(&page.text, &screen, STYLE_PLAIN, 0, "", text_string(&words));
    text_free_piece(&words, &page.text);
    if (!result && page.text.failed) result = error_memory();
    if (!result) fputs(text_string(&page.text), stdout);
    text_free(&page.text);
    return result;
}

static int print_json(struct query *query, const struct scope *scope)
{
    static const char before[] =
        "SELECT json_group_array(json_object('family', family, 'variant', variant, 'size', size, "
        "'block', block, 'sweep', sweep, 'time_ns', time_ns, 'after', after, 'speedup', "
        "speedup, 'verdict', verdict, 'main_cause', main_cause, 'saved_ns', saved_ns, 'share_pct', "
        "share_pct, 'sentence', sentence)) FROM (";
    char *sql = text_new("%s%s)", before, steps_print_sql), *json = NULL;
    const int result = sql ? query_text(query, NULL, sql, scope, &json) : error_memory();
    if (json) text_write_json(stdout, json), fputc('\n', stdout);
    free(json);
    free(sql);
    return result;
}

/* Names the sizes that there are. */
static int say_sizes(struct query *query, const struct scope *scope, const char *asked)
{
    char *sizes = NULL;
    int result = query_text(query, NULL,
                            "SELECT group_concat(size, ', ') FROM (SELECT DISTINCT size FROM "
                            "metrics WHERE :family IS NULL OR family = :family ORDER BY "
                            "CAST(size AS INTEGER), size)",
                            scope, &sizes);
    if (!result)
        result = error(FAIL_USAGE, "%s has no size %s; it has %s", query->run->path, asked,
                       sizes ? sizes : "none");
    free(sizes);
    return result;
}

static int print_steps(struct query *query, const struct steps_options *options)
{
    char list[SIZE_LIST] = "", *any = NULL;
    const char *const name[] = {"family", "asked"};
    const char *const value[] = {options->family, options->size ? list : NULL};
    const struct scope scope = {NULL, 2, name, value};
    int result = options->size ? size_list(options->size, list) : 0;
    if (!result)
        result = query_text(query, NULL,
                            "SELECT 1 FROM metrics WHERE (:family IS NULL OR family = :family) AND "
                            "(:asked IS NULL OR instr(:asked, ',' || size || ',') > 0) LIMIT 1",
                            &scope, &any);
    if (!result && !any && options->size) result = say_sizes(query, &scope, options->size);
    free(any);
    if (result) return result;
    if (options->json) return print_json(query, &scope);
    return options->csv ? query_csv(query, NULL, steps_print_sql, &scope, stdout)
                        : print_page(query, &scope, options);
}

int steps_print(const struct run *run, const struct steps_options *options)
{
    static const enum table_id needed[] = {TABLE_FAMILIES, TABLE_METRICS, TABLE_STEPS,
                                           TABLE_SAID, TABLE_VARIANTS, TABLE_POINTS};
    struct query query;
    int result = query_open(&query, run);
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(&query, needed[i]);
    if (!result) result = query_make_sizes(&query);
    if (!result) result = print_steps(&query, options);
    query_close(&query);
    return result;
}
