#include "report/compare_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/terminal.h"
#include "report/explain_pair.sql.h"
#include "run/recorded_runs.h"

#define IN_ORDER                                                                                   \
    " FROM (SELECT c.*, k.title FROM causes c JOIN cause k ON k.cause = coalesce(c.detail, "       \
    "c.cause)) ORDER BY status = 'model', abs(saved_ns) DESC"

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

/* Returns "%.9g", or NULL for an unknown value. */
static const char *number_or_null(char buffer[32], double value)
{
    snprintf(buffer, 32, "%.9g", value);
    return isfinite(value) ? buffer : NULL;
}

#define POINT                                                                                      \
    "json_object('run', %Q, 'variant', %Q, 'size', %Q, 'block', CAST(%Q AS INTEGER),"              \
    " 'sweep', CAST(%Q AS INTEGER), 'time_ns', CAST(%Q AS REAL))"
#define POINT_OF(side, size)                                                                       \
    (side)->query.run->path, (side)->name, size, (side)->fact[BLOCK], (side)->fact[SWEEP],         \
        (side)->fact[TIME]

int explain_pair_print_json(struct explain_pair *pair)
{
    static const char sql[] =
        "CREATE TABLE printed AS SELECT json_object('before', " POINT ", 'after', " POINT
        ", 'speedup', CAST(%Q AS REAL), 'low', CAST(%Q AS REAL), 'high', CAST(%Q AS REAL), "
        "'floor_pct', CAST(%Q AS REAL), 'evidence', %Q, 'causes', (SELECT "
        "json_group_array(json_object('cause', cause, 'detail', detail, 'title', title, "
        "'saved_ns', saved_ns, 'low_ns', low_ns, 'high_ns', high_ns, "
        "'share_pct', share_pct, 'status', status, 'witness', witness, 'witness_before', "
        "witness_before, 'witness_after', witness_after, 'line_before', line_before, 'line_after', "
        "line_after)) FROM (SELECT *" IN_ORDER "))) AS json";
    struct query *query = &pair->after.query;
    const char *const size = pair->before.fact[SIZE];
    char ratio[32], low[32], high[32], floor[32], *json = NULL;
    int result = query_write(query, sql, POINT_OF(&pair->before, size),
                             POINT_OF(&pair->after, size), number_or_null(ratio, pair->ratio),
                             number_or_null(low, pair->low), number_or_null(high, pair->high),
                             number_or_null(floor, pair->floor_pct), pair->evidence);
    if (!result) result = query_text(query, NULL, "SELECT json FROM printed", NULL, &json);
    if (!result) text_write_json(stdout, json), fputc('\n', stdout);
    free(json);
    return result;
}

int explain_pair_print_csv(struct explain_pair *pair)
{
    static const char sql[] =
        "SELECT :name_a AS before, :name_b AS after, :size AS size, cause, detail, "
        "saved_ns, low_ns, high_ns, share_pct, status, witness, witness_before, "
        "witness_after, line_before, line_after" IN_ORDER;
    const char *const name[] = {"name_a", "name_b", "size"};
    const char *const value[] = {pair->before.name, pair->after.name, pair->before.fact[SIZE]};
    const struct scope scope = {NULL, 3, name, value};
    return query_csv(&pair->after.query, NULL, sql, &scope, stdout);
}

/* ---- on the screen --------------------------------------------------------------------------- */

struct page {
    struct text text;
    const struct terminal *screen;
};

static const char numbers_format[] = "%11s %8s  ";
enum { SAVED, SHARE, CAUSE, INTERVAL, DETAILS, WITNESS, PLACE, SURE, NUMBERS_WIDTH = 22 };

/* Adds a cause: its saving, share and name; below them its interval, details, witness and lines. */
static int add_row(void *context, const struct scope *row)
{
    struct page *page = context;
    struct text label = {0};
    text_format(&label, numbers_format, row->value[SAVED],
                row->value[SHARE] ? row->value[SHARE] : "");
    terminal_paragraph(&page->text, page->screen, row->value[SURE] ? STYLE_PLAIN : STYLE_FAINT,
                       NUMBERS_WIDTH, text_string(&label), row->value[CAUSE]);
    for (int i = INTERVAL; i <= PLACE; i++)
        if (row->value[i])
            terminal_paragraph(&page->text, page->screen, STYLE_FAINT, NUMBERS_WIDTH, "",
                               row->value[i]);
    text_free_piece(&label, &page->text);
    return 0;
}

static void append_paragraph(struct page *page, enum terminal_style style, int indent,
                             struct text *words)
{
    terminal_paragraph(&page->text, page->screen, style, indent, indent ? "  " : "",
                       text_string(words));
    text_free_piece(words, &page->text);
}

static void append_head(struct page *page, const struct explain_pair *pair, int recorded)
{
    const struct side *before = &pair->before, *after = &pair->after;
    const struct run *first = before->query.run, *second = after->query.run;
    const double a = side_number(before, TIME), b = side_number(after, TIME);
    const char *const change = a >= b ? "saved" : "lost";
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
                pair->ratio);
    if (isfinite(pair->low)) text_format(&words, " [%.3f to %.3f]", pair->low, pair->high);
    append_paragraph(page, STYLE_PLAIN, 2, &words);
    text_append(&words, pair->evidence);
    if (isfinite(pair->floor_pct))
        text_format(&words, "; the noise floor is %.2f %%", pair->floor_pct);
    append_paragraph(page, STYLE_PLAIN, 2, &words);
    if (!strcmp(pair->evidence, "faster") || !strcmp(pair->evidence, "slower"))
        text_format(&words,
                    "causes of the %s %s; causes below 0 offset it:", text_time(was, fabs(a - b)),
                    change);
    else
        text_format(&words, "the difference of %s may be noise; its causes nevertheless:",
                    text_time(was, fabs(a - b)));
    append_paragraph(page, STYLE_PLAIN, 2, &words);
    text_append(&page->text, "\n");
    text_format(&words, numbers_format, change, "share");
    terminal_paragraph(&page->text, page->screen, STYLE_HEADING, NUMBERS_WIDTH, text_string(&words),
                       "cause; interval, details, counter, lines");
    text_free_piece(&words, &page->text);
}

/* Adds what remains to be gained by the second of the two. */
static int append_remains(struct page *page, struct explain_pair *pair)
{
    static const char sql[] = "SELECT group_concat(k.title || printf(' %.0f %%, ', r.share_pct) || "
                              "time_text(r.saved_ns) || coalesce(' (' || r.later || ' saved ' || "
                              "time_text(r.later_saved_ns) || ')', ''), '; ') FROM (SELECT * FROM "
                              "remains WHERE family || '/' || variant = :name "
                              "AND size = :size ORDER BY place) r JOIN cause k USING (cause)";
    const char *const name[] = {"name", "size"};
    const char *const value[] = {pair->after.name, pair->before.fact[SIZE]};
    const struct scope scope = {NULL, 2, name, value};
    struct text words = {0};
    char *list = NULL;
    const int result = query_text(&pair->after.query, NULL, sql, &scope, &list);
    if (list) {
        text_append(&page->text, "\n");
        text_format(&words, "still to be gained from %s, by the model: %s", pair->after.name, list);
        append_paragraph(page, STYLE_PLAIN, 2, &words);
    }
    free(list);
    return result;
}

int explain_pair_print(struct explain_pair *pair, int recorded, int all)
{
    const struct terminal screen = terminal_of_stdout();
    struct page page = {.screen = &screen};
    const char *const name[] = {"sign", "all"};
    const char *const value[] = {pair->ratio >= 1 ? "+" : "-", all ? "1" : "0"};
    const struct scope scope = {NULL, 2, name, value};
    append_head(&page, pair, recorded);
    int result = query_each(&pair->after.query, NULL, explain_pair_sql, &scope, add_row, &page);
    if (!result) result = append_remains(&page, pair);
    if (!result && page.text.failed) result = error_memory();
    if (!result) fputs(text_string(&page.text), stdout);
    text_free(&page.text);
    return result;
}
