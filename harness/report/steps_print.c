#include "report/steps_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/terminal.h"
#include "explain/causes.h"
#include "query/variant_names.h"
#include "report/steps_print.sql.h"
#include "run/recorded_runs.h"

struct steps_page {
    struct text text;
    const struct terminal *screen;
    char family[80]; /* of the row before */
    int rows, steps, name_width;
};

enum { FAMILY, VARIANT, SIZE, TIME = 6, AFTER, SPEEDUP, EVIDENCE, MAIN, SHARE, HEADLINE, LADDER };
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

/* Says what a step did, in a few words. */
static void append_words(struct text *words, const struct scope *row)
{
    const char *evidence = row->value[EVIDENCE] ? row->value[EVIDENCE] : "";
    const char *cause = row->value[MAIN];
    if (!strcmp(evidence, "no evidence"))
        text_append(words, "no significant change");
    else if (!strcmp(evidence, "slower") && cause)
        text_format(words, "slower: %s", cause);
    else
        text_append(words, cause ? cause : evidence);
}

static int append_step(void *context, const struct scope *row)
{
    struct steps_page *page = context;
    char time[24] = "", speedup[24] = "";
    struct text label = {0}, words = {0};
    if (strcmp(page->family, row->value[FAMILY])) append_ladder(page, row);
    page->rows++;
    page->steps += row->value[AFTER] != NULL;
    text_append(&label, "  ");
    const int width = terminal_append(&label, row->value[VARIANT], page->name_width);
    terminal_blanks(&label, page->name_width - width);
    if (row->value[TIME]) text_time(time, strtod(row->value[TIME], NULL));
    if (row->value[SPEEDUP])
        snprintf(speedup, sizeof speedup, "%.3g\xC3\x97", strtod(row->value[SPEEDUP], NULL));
    text_format(&label, " %*s", TIME_WIDTH, time);
    if (*speedup) {
        terminal_blanks(&label, SPEEDUP_WIDTH + 1 - terminal_width(speedup));
        text_format(&label, "%s  ", speedup);
    }
    append_words(&words, row);
    terminal_paragraph(&page->text, page->screen, STYLE_PLAIN,
                       words.length ? 2 + page->name_width + 1 + TIME_WIDTH + 1 + SPEEDUP_WIDTH + 2
                                    : 0,
                       text_string(&label), text_string(&words));
    text_free_piece(&words, &page->text);
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
        page.steps ? "Each step has the speed-up over the rung that it follows, and the cause that "
                     "saved most. 'whyfast explain FAMILY/NUMBER' explains a step."
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
        "speedup_prev, 'evidence', evidence, 'main_cause', main_cause, 'share_pct', share_pct, "
        "'headline', headline)) FROM (";
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
                                           TABLE_CAUSES,   TABLE_DETAILS, TABLE_HEADLINES,
                                           TABLE_VARIANTS};
    struct records records;
    struct query query;
    int result = records_read_own(&records);
    if (result) return result;
    result = query_open(&query, run);
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !result; i++)
        result = query_load(&query, needed[i]);
    if (!result) result = causes_names(&query, &records);
    if (!result) result = print_steps(&query, options);
    query_close(&query);
    records_free(&records);
    return result;
}
