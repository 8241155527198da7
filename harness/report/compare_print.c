#include "report/compare_print.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"

/* ---- the table ------------------------------------------------------------------------------- */

/* A row in words: the point as patterns and --size name it, with the block if points differ in it.
 */
#define WORDS                                                                                      \
    "family || '/' || variant"                                                                     \
    " || CASE WHEN coalesce(sweep_after, sweep_before) = 0 THEN '' ELSE '@' || "                   \
    "coalesce(sweep_after, sweep_before) END"                                                      \
    " || ' ' || replace(size_text(size), ' ', '')"                                                 \
    " || CASE WHEN (SELECT count(DISTINCT o.block) FROM compared o WHERE o.family = "              \
    "compared.family AND o.variant = compared.variant AND o.size = compared.size) > 1 THEN ', "    \
    "block ' || block "                                                                            \
    "ELSE '' END"                                                                                  \
    " || CASE WHEN sweep_before <> sweep_after THEN ', before: @' || sweep_before ELSE '' END"     \
    " || CASE WHEN verdict IN ('no evidence', 'not measured') OR machine_code IS NULL THEN ''"     \
    " WHEN machine_code = 'same' THEN '; same machine code' ELSE '; machine code changed' END"     \
    " || CASE WHEN reason IS NULL THEN '' ELSE '; ' || reason END"

/* The columns of numbers; the least interesting ones are last and cut on a narrow screen. */
static const char numbers_format[] = "%6s  %-14s  %7s  %8s  %8s";
enum { NUMBERS_WIDTH = 51, INDENT = 4 };

struct view {
    const struct terminal *screen;
    struct text *page;
    int beside; /* 1: the screen has room for the words beside their numbers; 0: above them */
};

static const char *time_text(char buffer[24], const char *time_ns)
{
    return time_ns ? text_time(buffer, strtod(time_ns, NULL)) : "";
}

static const char *number_text(char buffer[16], const char *format, const char *number)
{
    snprintf(buffer, 16, format, number ? strtod(number, NULL) : 0);
    return number ? buffer : "";
}

static void append_numbers(struct text *text, const struct scope *row)
{
    char ratio[16], low[16], high[16], floor[16], before[24], after[24], interval[40];
    const char *const *value = row->value;
    snprintf(interval, sizeof interval, "%s%s%s", number_text(low, "%.3f", value[3]),
             value[3] ? " to " : "", number_text(high, "%.3f", value[4]));
    text_format(text, numbers_format, number_text(ratio, "%.3f", value[2]), interval,
                number_text(floor, "%.2f %%", value[5]), time_text(before, value[6]),
                time_text(after, value[7]));
}

static enum terminal_style style_of(const char *verdict)
{
    if (!strcmp(verdict, compare_verdicts[COMPARE_FAILED]) ||
        !strcmp(verdict, compare_verdicts[COMPARE_SLOWER]))
        return STYLE_HOT;
    if (!strcmp(verdict, compare_verdicts[COMPARE_TOLERATED])) return STYLE_WARM;
    if (!strcmp(verdict, compare_verdicts[COMPARE_FASTER])) return STYLE_GOOD;
    return STYLE_FAINT;
}

/* Appends a line of numbers or headings without words. */
static void append_line(struct view *view, enum terminal_style style, const char *line)
{
    const int indent = view->beside ? 0 : INDENT;
    terminal_style(view->page, view->screen, style);
    terminal_blanks(view->page, indent);
    terminal_append(view->page, line, view->screen->columns - indent);
    terminal_style(view->page, view->screen, STYLE_PLAIN);
    text_append(view->page, "\n");
}

/* Columns: verdict, words, ratio, its interval, floor, times, account. */
static int append_row(void *context, const struct scope *row)
{
    struct view *view = context;
    const enum terminal_style style = style_of(row->value[0]);
    const int indent = view->beside ? NUMBERS_WIDTH + 2 : INDENT;
    struct text numbers = {0}, label = {0};
    if (row->value[2]) append_numbers(&numbers, row);
    if (view->beside) text_format(&label, "%-*s", indent, text_string(&numbers));
    text_format(&label, "%s: ", row->value[0]);
    terminal_paragraph(view->page, view->screen, style, indent, text_string(&label), row->value[1]);
    if (numbers.length && !view->beside) append_line(view, style, text_string(&numbers));
    if (row->value[8])
        terminal_paragraph(view->page, view->screen, STYLE_PLAIN, INDENT, "    ", row->value[8]);
    text_free_piece(&numbers, view->page);
    text_free_piece(&label, view->page);
    return view->page->failed ? error_memory() : 0;
}

static int append_rows(struct run_comparison *comparison, struct view *view, const char *where)
{
    struct text sql = {0};
    char *widest = NULL, heading[80];
    text_format(&sql, "SELECT max(length(verdict || ': ' || " WORDS ")) FROM compared WHERE %s",
                where);
    int result = sql.failed
                     ? error_memory()
                     : query_text(&comparison->query, NULL, text_string(&sql), NULL, &widest);
    text_free(&sql);
    if (result || !widest) return result;
    view->beside = strtol(widest, NULL, 10) <= view->screen->columns - NUMBERS_WIDTH - 2;
    free(widest);
    snprintf(heading, sizeof heading, numbers_format, "ratio", "95 % interval", "floor", "before",
             "after");
    text_append(view->page, "\n");
    append_line(view, STYLE_HEADING, heading);
    text_format(&sql,
                "SELECT verdict, " WORDS
                ", ratio, ratio_low, ratio_high, floor_pct, time_before_ns, time_after_ns, account "
                "FROM compared WHERE %s ORDER BY %s",
                where, compare_order);
    result = sql.failed
                 ? error_memory()
                 : query_each(&comparison->query, NULL, text_string(&sql), NULL, append_row, view);
    text_free(&sql);
    return result;
}

static void append_run(struct view *view, const char *label, const struct run *run)
{
    const char *device = run_fact(run, "device_name"), *date = run_fact(run, "date");
    struct text words = {0};
    text_format(&words, "%s (%s, %s)", run->path, device ? device : "unknown device",
                date ? date : "no date");
    terminal_paragraph(view->page, view->screen, STYLE_PLAIN, 8, label, text_string(&words));
    text_free_piece(&words, view->page);
}

/* Verdicts that need no action: one line for all points of each. Of two devices it is of interest,
 * too, why a variant is as fast on both. */
#define UNLISTED                                                                                   \
    "('only in RUN1', 'only in RUN2', CASE WHEN account IS NULL THEN 'no evidence' ELSE '' END)"

static int append_words(void *context, const struct scope *row)
{
    struct view *view = context;
    terminal_paragraph(view->page, view->screen, STYLE_FAINT, 0, "", row->value[0]);
    return 0;
}

static int append_unlisted(struct run_comparison *comparison, struct view *view)
{
    static const char sql[] =
        "SELECT printf('%s: %d point%s of %d variant%s', verdict, count(*), iif(count(*) = 1, '', "
        "'s'), "
        "count(DISTINCT family || '/' || variant), iif(count(DISTINCT family || '/' || variant) = "
        "1, '', 's')) || CASE WHEN max(ratio) IS NULL THEN '' "
        "ELSE printf(', ratios from %.3f to %.3f', min(ratio), max(ratio)) END || '; -v lists "
        "them' FROM compared "
        "WHERE verdict IN " UNLISTED " GROUP BY verdict";
    text_append(view->page, "\n");
    return query_each(&comparison->query, NULL, sql, NULL, append_words, view);
}

void compare_append_summary(struct text *text, const struct run_comparison *comparison)
{
    const int *count = comparison->count;
    text_format(text, "%d slower, %d faster, %d without evidence of a difference",
                count[COMPARE_SLOWER], count[COMPARE_FASTER], count[COMPARE_NO_EVIDENCE]);
    if (count[COMPARE_TOLERATED])
        text_format(text, ", %d tolerated (slower, but not beyond %g %%)", count[COMPARE_TOLERATED],
                    comparison->threshold_pct);
    static const enum compare_verdict others[] = {COMPARE_FAILED, COMPARE_NOT_MEASURED,
                                                  COMPARE_ONLY_BEFORE, COMPARE_ONLY_AFTER};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (count[others[i]])
            text_format(text, ", %d %s", count[others[i]], compare_verdicts[others[i]]);
}

/* Columns: title, before, after, unit, factor. */
static int append_device_line(void *context, const struct scope *row)
{
    struct view *view = context;
    struct text line = {0};
    text_format(&line, "%-15s %8s %8s %-8s", row->value[0], row->value[1], row->value[2],
                row->value[3]);
    if (row->value[4]) text_format(&line, " %s", row->value[4]);
    terminal_append(view->page, text_string(&line), view->screen->columns);
    text_append(view->page, "\n");
    text_free_piece(&line, view->page);
    return 0;
}

static int append_devices(struct run_comparison *comparison, struct view *view)
{
    static const char sql[] =
        "SELECT title, coalesce(human(before), '-'), coalesce(human(after), '-'), unit, "
        "printf('%.3f times', after / before) FROM device_line "
        "WHERE before IS NOT NULL OR after IS NOT NULL ORDER BY place";
    if (!comparison->two_devices) return 0;
    text_append(view->page, "\n");
    return query_each(&comparison->query, NULL, sql, NULL, append_device_line, view);
}

int compare_print(struct run_comparison *comparison, const struct terminal *screen, int all,
                  FILE *file)
{
    struct text page = {0}, summary = {0};
    struct view view = {screen, &page, 0};
    append_run(&view, "RUN1", comparison->before);
    append_run(&view, "RUN2", comparison->after);
    int result = append_devices(comparison, &view);
    if (!result) result = append_rows(comparison, &view, all ? "1" : "verdict NOT IN " UNLISTED);
    if (!result && !all) result = append_unlisted(comparison, &view);
    compare_append_summary(&summary, comparison);
    text_format(&page, "\n%s\n", text_string(&summary));
    text_free_piece(&summary, &page);
    if (!result && page.failed) result = error_memory();
    if (!result) fputs(text_string(&page), file);
    text_free(&page);
    return result;
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

int compare_print_csv(struct run_comparison *comparison, FILE *file)
{
    char *sql = text_new("SELECT * FROM compared ORDER BY %s", compare_order);
    const int result = sql ? query_csv(&comparison->query, NULL, sql, NULL, file) : error_memory();
    free(sql);
    return result;
}

static int add_run(struct query *query, const char *side, const struct run *run)
{
    static const char *const keys[] = {"date",        "git_revision", "device_name",
                                       "device_uuid", "driver",       "cuda_toolkit"};
    static const char sql[] = "INSERT INTO compared_run VALUES(%Q, %Q, %Q)";
    int result = query_write(query, sql, side, "path", run->path);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !result; i++)
        result = query_write(query, sql, side, keys[i], run_fact(run, keys[i]));
    return result;
}

int compare_print_json(struct run_comparison *comparison, FILE *file)
{
    static const char format[] =
        "SELECT json_object("
        "'before', (SELECT json_group_object(key, value) FROM compared_run WHERE side = 'before'), "
        "'after', (SELECT json_group_object(key, value) FROM compared_run WHERE side = 'after'), "
        "'threshold_pct', %.9g, 'summary', (SELECT json_group_object(verdict, points) FROM "
        "compared_count), 'points', (SELECT json_group_array(json_object('family', family, "
        "'variant', variant, 'size', size, 'block', block, 'sweep_before', sweep_before, "
        "'sweep_after', sweep_after, 'verdict', verdict, 'ratio', ratio, 'ratio_low', ratio_low, "
        "'ratio_high', ratio_high, 'floor_pct', floor_pct, 'time_before_ns', time_before_ns, "
        "'time_after_ns', time_after_ns, 'machine_code', machine_code, 'reason', reason, "
        "'account', account)) "
        "FROM (SELECT * FROM compared ORDER BY %s)))";
    struct query *query = &comparison->query;
    char *sql = text_new(format, comparison->threshold_pct, compare_order), *json = NULL;
    int result = sql ? query_write(query, "CREATE TABLE compared_run(side, key, value);"
                                          "CREATE TABLE compared_count(verdict, points)")
                     : error_memory();
    if (!result) result = add_run(query, "before", comparison->before);
    if (!result) result = add_run(query, "after", comparison->after);
    for (int i = 0; i < COMPARE_VERDICTS && !result; i++)
        result = query_write(query, "INSERT INTO compared_count VALUES(%Q, %d)",
                             compare_verdicts[i], comparison->count[i]);
    if (!result) result = query_text(query, NULL, sql, NULL, &json);
    if (!result) text_write_json(file, json), fputc('\n', file);
    free(json);
    free(sql);
    return result;
}
