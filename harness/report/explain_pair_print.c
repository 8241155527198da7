#include "report/explain_pair_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/terminal.h"
#include "explain/explain_pair.h"
#include "query/variant_names.h"
#include "run/recorded_runs.h"

#define IN_ORDER " FROM difference ORDER BY cause = 'residual', abs(saved_ns) DESC"

/* ---- as JSON and CSV ------------------------------------------------------------------------- */

/* "%.9g", NULL for what is not known. */
static const char *number_or_null(char buffer[32], double value)
{
    snprintf(buffer, 32, "%.9g", value);
    return isfinite(value) ? buffer : NULL;
}

#define POINT_OBJECT(side)                                                                         \
    "json_object('run', :run_" side ", 'variant', :name_" side                                     \
    ", 'size', :size, 'block', CAST(:block_" side " AS INTEGER),"                                  \
    " 'sweep', CAST(:sweep_" side " AS INTEGER), 'time_ns', CAST(:time_" side " AS REAL))"

int explain_pair_print_json(struct explain_pair *difference)
{
    static const char sql[] =
        "SELECT json_object('before', " POINT_OBJECT("a") ", 'after', " POINT_OBJECT(
            "b") ", 'speedup', CAST(:ratio AS REAL), 'low', CAST(:low AS"
                 " REAL), 'high', CAST(:high AS REAL), 'floor_pct', CAST(:floor AS REAL), "
                 "'evidence', :evidence, 'causes', (SELECT"
                 " json_group_array(json_object('cause', cause, 'title', title, 'before_ns', "
                 "before_ns, 'after_ns', after_ns, 'saved_ns', saved_ns,"
                 " 'low_ns', low_ns, 'high_ns', high_ns, 'share_pct', share_pct, 'status', status, "
                 "'witness', witness, 'witness_before', witness_before,"
                 " 'witness_after', witness_after)) FROM (SELECT *" IN_ORDER ")))";
    const struct side *before = &difference->before, *after = &difference->after;
    char ratio[32], low[32], high[32], floor[32], *json = NULL;
    const char *const pair[][2] = {
        {"run_a", before->query.run->path},
        {"run_b", after->query.run->path},
        {"name_a", before->name},
        {"name_b", after->name},
        {"size", before->fact[SIZE]},
        {"block_a", before->fact[BLOCK]},
        {"block_b", after->fact[BLOCK]},
        {"sweep_a", before->fact[SWEEP]},
        {"sweep_b", after->fact[SWEEP]},
        {"time_a", before->fact[TIME]},
        {"time_b", after->fact[TIME]},
        {"ratio", number_or_null(ratio, difference->ratio)},
        {"low", number_or_null(low, difference->low)},
        {"high", number_or_null(high, difference->high)},
        {"floor", number_or_null(floor, difference->floor_pct)},
        {"evidence", difference->evidence},
    };
    enum { PAIRS = sizeof pair / sizeof *pair };
    const char *name[PAIRS], *value[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        name[i] = pair[i][0];
        value[i] = pair[i][1];
    }
    const struct scope scope = {NULL, PAIRS, name, value};
    const int result = query_text(&difference->after.query, NULL, sql, &scope, &json);
    if (!result) text_write_json(stdout, json), fputc('\n', stdout);
    free(json);
    return result;
}

int explain_pair_print_csv(struct explain_pair *difference)
{
    static const char sql[] = "SELECT :name_a AS before, :name_b AS after, :size AS size, cause, "
                              "before_ns, after_ns, saved_ns, low_ns, high_ns,"
                              " share_pct, status, witness, witness_before, witness_after" IN_ORDER;
    const char *const name[] = {"name_a", "name_b", "size"};
    const char *const value[] = {difference->before.name, difference->after.name,
                                 difference->before.fact[SIZE]};
    const struct scope scope = {NULL, 3, name, value};
    return query_csv(&difference->after.query, NULL, sql, &scope, stdout);
}

/* ---- on the screen --------------------------------------------------------------------------- */

struct page {
    struct text text;
    const struct terminal *screen;
};

static const char numbers_format[] = "%11s %8s  ";
enum { SAVED, SHARE, CAUSE, LEVELS, INTERVAL, WITNESS, SURE, NUMBERS_WIDTH = 22 };

/* One cause: what it saved, its share and its name; below, how sure that is and what shows it. */
static int add_row(void *context, const struct scope *row)
{
    struct page *page = context;
    struct text label = {0}, details = {0};
    text_format(&label, numbers_format, row->value[SAVED],
                row->value[SHARE] ? row->value[SHARE] : "");
    for (int i = LEVELS; i <= INTERVAL; i++)
        if (row->value[i]) text_format(&details, "%s%s", details.length ? ", " : "", row->value[i]);
    terminal_paragraph(&page->text, page->screen, row->value[SURE] ? STYLE_PLAIN : STYLE_FAINT,
                       NUMBERS_WIDTH, text_string(&label), row->value[CAUSE]);
    const char *const below[] = {text_string(&details), row->value[WITNESS]};
    for (int i = 0; i < 2; i++)
        if (below[i] && *below[i])
            terminal_paragraph(&page->text, page->screen, STYLE_FAINT, NUMBERS_WIDTH, "", below[i]);
    text_free_piece(&label, &page->text);
    text_free_piece(&details, &page->text);
    return 0;
}

static void append_paragraph(struct page *page, enum terminal_style style, int indent,
                             struct text *words)
{
    terminal_paragraph(&page->text, page->screen, style, indent, indent ? "  " : "",
                       text_string(words));
    text_free_piece(words, &page->text);
}

static void append_head(struct page *page, const struct explain_pair *difference, int recorded)
{
    const struct side *before = &difference->before, *after = &difference->after;
    const struct run *first = before->query.run, *second = after->query.run;
    const double a = side_number(before, TIME), b = side_number(after, TIME);
    const char *const what = a >= b ? "saved" : "lost";
    char was[24], is[24];
    struct text words = {0};
    recorded_describe(&words, first, recorded);
    append_paragraph(page, STYLE_PLAIN, 0, &words);
    if (second != first) recorded_describe(&words, second, 0);
    if (second != first) append_paragraph(page, STYLE_PLAIN, 0, &words);
    text_append(&page->text, "\n");
    text_format(&words, "%s -> %s, %s", before->name, after->name, before->fact[SIZE]);
    append_paragraph(page, STYLE_HEADING, 0, &words);
    text_format(&words, "%s -> %s", before->fact[TITLE], after->fact[TITLE]);
    append_paragraph(page, STYLE_PLAIN, 2, &words);
    text_format(&words, "%s -> %s: %.3f times as fast", text_time(was, a), text_time(is, b),
                difference->ratio);
    if (isfinite(difference->low))
        text_format(&words, " [%.3f to %.3f]", difference->low, difference->high);
    append_paragraph(page, STYLE_PLAIN, 2, &words);
    text_append(&words, difference->evidence);
    if (isfinite(difference->floor_pct))
        text_format(&words, "; the noise floor is %.2f %%", difference->floor_pct);
    append_paragraph(page, STYLE_PLAIN, 2, &words);
    if (!strcmp(difference->evidence, "faster") || !strcmp(difference->evidence, "slower"))
        text_format(&words, "what the %s %s are put down to; below 0 stands against it:",
                    text_time(was, fabs(a - b)), what);
    else
        text_format(&words, "the %s between them may be noise; put down to causes all the same:",
                    text_time(was, fabs(a - b)));
    append_paragraph(page, STYLE_PLAIN, 2, &words);
    text_append(&page->text, "\n");
    text_format(&words, numbers_format, what, "share");
    terminal_paragraph(&page->text, page->screen, STYLE_HEADING, NUMBERS_WIDTH, text_string(&words),
                       "cause; levels, 95 % interval, what shows it");
    text_free_piece(&words, &page->text);
}

/* A loss reads as one: its rows count what was lost. What is below half a per cent of the change
 * is one line, unless all are wanted; what is not explained has its own at the end, however
 * little. */
int explain_pair_print(struct explain_pair *difference, int recorded, int all)
{
    static const char sql[] =
        "WITH shown AS (SELECT *, saved_ns * s AS part, :all = '0' AND cause <> 'residual' AND "
        "coalesce(abs(share_pct) < 0.5, saved_ns = 0) AS is_small"
        "  FROM (SELECT *, CASE :sign WHEN '-' THEN -1 ELSE 1 END AS s FROM difference)),"
        " listed AS (SELECT cause = 'residual' AS last, abs(part) AS size, part, share_pct,"
        "  title || CASE status WHEN 'resolved' THEN '' ELSE ' (' || status || ')' END AS title,"
        "  time_text(before_ns) || ' -> ' || time_text(after_ns) AS levels,"
        "  'interval ' || time_text(min(low_ns * s, high_ns * s)) || ' to ' || "
        "time_text(max(low_ns * s, high_ns * s)) AS interval,"
        "  witness || ' ' || human(witness_before) || ' -> ' || human(witness_after) AS witness, "
        "CASE status WHEN 'resolved' THEN 1 END AS sure"
        "  FROM shown WHERE NOT is_small"
        "  UNION ALL SELECT 0, 0, sum(part), sum(share_pct), count(*) || CASE count(*) WHEN 1 THEN "
        "' smaller one (-v lists it)'"
        "  ELSE ' smaller ones, together (-v lists them)' END, NULL, NULL, NULL, NULL FROM shown "
        "WHERE is_small HAVING count(*) > 0)"
        " SELECT time_text(part), CASE WHEN share_pct IS NOT NULL THEN printf('%.1f %%', "
        "round(share_pct, 1) + 0.0) END, title, levels, interval, witness,"
        " sure FROM listed ORDER BY last, size DESC";
    const struct terminal screen = terminal_of_stdout();
    struct page page = {.screen = &screen};
    const char *const name[] = {"sign", "all"}, *const value[] = {difference->ratio >= 1 ? "+"
                                                                                         : "-",
                                                                  all ? "1" : "0"};
    const struct scope scope = {NULL, 2, name, value};
    append_head(&page, difference, recorded);
    int result = query_each(&difference->after.query, NULL, sql, &scope, add_row, &page);
    if (!result && page.text.failed) result = error_memory();
    if (!result) fputs(text_string(&page.text), stdout);
    text_free(&page.text);
    return result;
}
