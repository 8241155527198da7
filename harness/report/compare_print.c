#include "report/compare_print.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "report/compare_print.sql.h"
#include "run/recorded_runs.h"

/* ---- the table ------------------------------------------------------------------------------- */

static enum terminal_style style_of(const char *verdict)
{
    if (!strcmp(verdict, compare_verdicts[COMPARE_FAILED]) ||
        !strcmp(verdict, compare_verdicts[COMPARE_SLOWER]))
        return STYLE_HOT;
    if (!strcmp(verdict, compare_verdicts[COMPARE_TOLERATED])) return STYLE_WARM;
    if (!strcmp(verdict, compare_verdicts[COMPARE_FASTER])) return STYLE_GOOD;
    return STYLE_FAINT;
}

static const struct print_column columns[] = {
    {.name = "family"},
    {.name = "variant"},
    {.name = "size"},
    {.name = "block", .kind = PRINT_NUMBER},
    {.name = "sweep_before", .kind = PRINT_NUMBER},
    {.name = "sweep_after", .kind = PRINT_NUMBER},
    {.name = "verdict", .style = style_of},
    {.name = "ratio", .head = "ratio", .kind = PRINT_NUMBER, .digits = 3},
    {.name = "interval", .head = "95 % interval", .kind = PRINT_RIGHT, .is_shown_only = 1},
    {.name = "ratio_low", .kind = PRINT_NUMBER},
    {.name = "ratio_high", .kind = PRINT_NUMBER},
    {.name = "floor_pct", .head = "floor %", .kind = PRINT_NUMBER, .digits = 2},
    {.name = "time_before_ns", .head = "before", .kind = PRINT_TIME},
    {.name = "time_after_ns", .head = "after", .kind = PRINT_TIME},
    {.name = "words", .head = "", .place = PRINT_WORDS, .is_shown_only = 1},
    {.name = "machine_code"},
    {.name = "reason"},
    {.name = "account", .head = "", .place = PRINT_NOTE},
    {.name = "reason_code"},
};

static const struct print_column rate_columns[] = {
    {.name = "title", .head = "rate"},
    {.name = "unit", .head = "unit"},
    {.name = "before", .kind = PRINT_NUMBER},
    {.name = "after", .kind = PRINT_NUMBER},
    {.name = "before_text", .head = "before", .kind = PRINT_RIGHT, .is_shown_only = 1},
    {.name = "after_text", .head = "after", .kind = PRINT_RIGHT, .is_shown_only = 1},
    {.name = "ratio", .head = "ratio", .kind = PRINT_NUMBER, .digits = 3},
};

static const struct print_column unlisted_columns[] = {
    {.name = "words", .head = "", .place = PRINT_WORDS, .style = style_of}, /* never a verdict */
};

static int add_points(struct run_comparison *comparison, struct print_table *table,
                      const char *view)
{
    char *sql = text_new("SELECT * FROM %s ORDER BY %s", view, compare_order);
    const int result =
        sql ? query_print_rows(&comparison->query, sql, NULL, table) : error_memory();
    free(sql);
    return result;
}

static int add_rates(struct run_comparison *comparison, struct print_table *table)
{
    if (!comparison->two_devices) return 0;
    return query_print_rows(&comparison->query,
                            "SELECT *, human(before) AS before_text, human(after) AS after_text, "
                            "after / before AS ratio FROM device_line WHERE before IS NOT NULL OR "
                            "after IS NOT NULL ORDER BY place",
                            NULL, table);
}

static void append_run(struct text *page, const struct terminal *screen, const char *label,
                       const struct run *run)
{
    const char *device = run_fact(run, "device_name"), *date = run_fact(run, "date");
    struct text words = {0};
    text_format(&words, "%s (%s, %s)", recorded_title(run), device ? device : "unknown device",
                date ? date : "no date");
    terminal_paragraph(page, screen, STYLE_PLAIN, 8, label, text_string(&words));
    text_free_piece(&words, page);
}

void compare_append_summary(struct text *text, const struct run_comparison *comparison)
{
    const int *count = comparison->count;
    const struct decision_counts counts = compare_counts(comparison);
    decision_append_counts(text, &counts);
    if (count[COMPARE_TOLERATED])
        text_format(text, ", %d tolerated (slower, but not beyond %g %%)", count[COMPARE_TOLERATED],
                    comparison->threshold_pct);
    static const enum compare_verdict others[] = {COMPARE_FAILED, COMPARE_NOT_MEASURED,
                                                  COMPARE_ONLY_BEFORE, COMPARE_ONLY_AFTER};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (count[others[i]])
            text_format(text, ", %d %s", count[others[i]], compare_verdicts[others[i]]);
}

/* The tables of one comparison. */
struct tables {
    struct print_table points, rates, unlisted;
};

static int tables_make(struct tables *made, struct run_comparison *comparison, const char *view)
{
    *made = (struct tables){{.name = "points", PRINT_COLUMNS_OF(columns)},
                            {.name = "rates", PRINT_COLUMNS_OF(rate_columns)},
                            {.name = "unlisted", PRINT_COLUMNS_OF(unlisted_columns)}};
    int result = query_write(&comparison->query, "%s", compare_print_sql);
    if (!result) result = add_points(comparison, &made->points, view);
    return result ? result : add_rates(comparison, &made->rates);
}

static void tables_free(struct tables *made)
{
    print_table_free(&made->points);
    print_table_free(&made->rates);
    print_table_free(&made->unlisted);
}

static void append_table(struct text *page, const struct print_table *table,
                         const struct terminal *screen)
{
    if (table->count) text_append(page, "\n");
    print_table_append(page, table, screen);
}

int compare_print(struct run_comparison *comparison, const struct terminal *screen, int all,
                  FILE *file)
{
    struct text page = {0}, summary = {0};
    struct tables made;
    int result = tables_make(&made, comparison, all ? "printed" : "listed");
    if (!result && !all)
        result = query_print_rows(&comparison->query, "SELECT words FROM unlisted", NULL,
                                  &made.unlisted);
    append_run(&page, screen, "RUN1", comparison->before);
    append_run(&page, screen, "RUN2", comparison->after);
    compare_append_summary(&summary, comparison);
    text_append(&page, "\n");
    terminal_paragraph(&page, screen, STYLE_PLAIN, 0, "", text_string(&summary));
    append_table(&page, &made.rates, screen);
    append_table(&page, &made.points, screen);
    append_table(&page, &made.unlisted, screen);
    text_free_piece(&summary, &page);
    tables_free(&made);
    return page_print(file, &page, result);
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

static void write_run(struct json_writer *writer, const char *side, const struct run *run)
{
    static const char *const keys[] = {"date",        "git_revision", "device_name",
                                       "device_uuid", "driver",       "cuda_toolkit"};
    json_open(writer, side, '{');
    json_text(writer, "path", run->path);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_text(writer, keys[i], run_fact(run, keys[i]));
    json_close(writer, '}');
}

static void write_json(const struct run_comparison *comparison, const struct tables *made,
                       FILE *file)
{
    struct json_writer writer;
    json_begin(&writer, file, "compare/4");
    write_run(&writer, "before", comparison->before);
    write_run(&writer, "after", comparison->after);
    json_number(&writer, "threshold_pct", comparison->threshold_pct);
    json_open(&writer, "summary", '{');
    for (int i = 0; i < COMPARE_VERDICTS; i++) {
        char member[32];
        snprintf(member, sizeof member, "%s", compare_verdicts[i]);
        for (char *c = member; *c; c++) *c = *c == ' ' ? '_' : (char)tolower((unsigned char)*c);
        json_number(&writer, member, comparison->count[i]);
    }
    json_close(&writer, '}');
    print_table_rows(&writer, &made->rates);
    print_table_rows(&writer, &made->points);
    json_end(&writer);
}

int compare_print_data(struct run_comparison *comparison, enum print_form form, FILE *file)
{
    struct tables made;
    int result = tables_make(&made, comparison, "printed");
    if (!result && form == PRINT_AS_JSON)
        write_json(comparison, &made, file);
    else if (!result)
        result = print_table_csv(&made.points, file);
    tables_free(&made);
    return result;
}
