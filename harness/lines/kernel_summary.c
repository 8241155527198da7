#include "lines/kernel_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lines/kernel_summary.sql.h"
#include "lines/line_columns.h"

enum { LABEL = 11 };

/* ---- one kernel ------------------------------------------------------------------------------ */

struct head {
    struct text *page;
    const struct terminal *screen;
};

/* Columns: label, words or NULL, style. */
static int append_paragraph(void *context, const struct scope *row)
{
    const struct head *head = context;
    const char *label = row->value[0], *style = row->value[2];
    if (!row->value[1]) return 0;
    terminal_paragraph(head->page, head->screen,
                       !strcmp(style, "heading") ? STYLE_HEADING
                       : !strcmp(style, "hot")   ? STYLE_HOT
                                                 : STYLE_PLAIN,
                       *label ? LABEL : 0, label, row->value[1]);
    return head->page->failed ? error_memory() : 0;
}

int kernel_summary_append(struct text *page, struct query *query, const char *kernel,
                          const struct terminal *screen)
{
    const struct scope scope = SCOPE_OF(STRINGS("kernel"), STRINGS(kernel));
    struct head head = {page, screen};
    return query_each(query, NULL, kernel_summary_sql, &scope, append_paragraph, &head);
}

/* ---- two kernels ----------------------------------------------------------------------------- */

enum { NUMBER = 12, MOST_NAME = 28 };

/* A table with the columns name, A, B and the change. */
struct differences {
    struct text *page;
    const struct terminal *screen;
    int are_shares; /* in per cent, compared by their difference; other numbers by their ratio */
};

static void append_number(struct text *line, const struct line_metric *metric, const char *value)
{
    struct text cell = {0};
    line_column_append(&cell, metric, value);
    text_format(line, "%*s", NUMBER, text_string(&cell));
    text_free_piece(&cell, line);
}

static void append_name(const struct differences *differences, struct text *line, const char *name)
{
    const int room = differences->screen->columns - 3 * NUMBER;
    const int width = room < MOST_NAME ? room : MOST_NAME;
    const int used = terminal_append(line, name, width);
    terminal_blanks(line, width - used);
}

/* Columns: name, A, B. */
static int append_difference(void *context, const struct scope *row)
{
    const struct differences *differences = context;
    const struct line_metric metric = {.format =
                                           differences->are_shares ? LINE_PERCENT : LINE_COUNT};
    const char *a = row->value[1], *b = row->value[2];
    const double before = a ? strtod(a, NULL) : NAN, after = b ? strtod(b, NULL) : NAN;
    struct text line = {0};
    char change[32] = "";
    if (!a && !b) return 0;
    if (differences->are_shares && isfinite(before - after))
        snprintf(change, sizeof change, "%+.1f", after - before);
    else if (before > 0 && isfinite(after))
        snprintf(change, sizeof change, "%.3g", after / before);
    append_name(differences, &line, row->value[0]);
    append_number(&line, &metric, a);
    append_number(&line, &metric, b);
    if (*change) text_format(&line, "%*s", NUMBER, change);
    while (line.length > 0 && line.data[line.length - 1] == ' ') line.data[--line.length] = 0;
    text_append(differences->page, text_string(&line));
    text_append(differences->page, "\n");
    text_free_piece(&line, differences->page);
    return differences->page->failed ? error_memory() : 0;
}

static void append_table_heading(const struct differences *differences, const char *name,
                                 const char *change)
{
    struct text line = {0};
    append_name(differences, &line, name);
    text_format(&line, "%*s%*s%*s", NUMBER, "A", NUMBER, "B", NUMBER, change);
    terminal_style(differences->page, differences->screen, STYLE_HEADING);
    text_append(differences->page, text_string(&line));
    terminal_style(differences->page, differences->screen, STYLE_PLAIN);
    text_append(differences->page, "\n");
    text_free_piece(&line, differences->page);
}

/* The compared columns of kernel_sums. */
static const struct {
    const char *name, *column;
} compared[] = {
    {"SASS instructions", "instructions"},      {"warp instructions", "executed"},
    {"thread instructions on", "threads_on"},   {"divergent targets", "branches_divergent"},
    {"shared wavefronts", "shared_wavefronts"}, {"excess wavefronts", "excess"},
    {"global sectors", "global_sectors"},       {"global excess sectors", "global_excess"},
    {"local sectors", "local_sectors"},         {"read distance", "sass_read_distance"},
};

static int append_numbers(struct differences *differences, struct query *query,
                          const struct scope *scope)
{
    struct text sql = {0};
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
        text_format(&sql,
                    "%sSELECT '%s', a.%s, b.%s FROM kernel_sums a, kernel_sums b WHERE "
                    "a.kernel = :a AND b.kernel = :b",
                    i ? " UNION ALL " : "", compared[i].name, compared[i].column,
                    compared[i].column);
    append_table_heading(differences, "", "B / A");
    const int result = sql.failed ? error_memory()
                                  : query_each(query, NULL, text_string(&sql), scope,
                                               append_difference, differences);
    text_free(&sql);
    return result;
}

/* The factors of the samples of a kernel: for the cycles that they stand for, or, if these are
 * unknown for one of the kernels, for shares. */
static const char cycles_of[] = "period_cycles / nullif(sampled_launches, 0)";
static const char share_of[] = "100.0 / nullif(c.samples, 0)";

/* Leaves out reasons with less than 1 % of the samples in both kernels. A reason without samples in
 * a sampled kernel has 0. */
static int append_reasons(struct differences *differences, struct query *query,
                          const struct scope *scope)
{
    const char *scale = differences->are_shares ? share_of : cycles_of;
    char *sql = text_new(
        "WITH waits AS (SELECT reason, coalesce(sum(CASE kernel WHEN :a THEN samples END), 0) AS "
        "a, "
        "coalesce(sum(CASE kernel WHEN :b THEN samples END), 0) AS b FROM stalls WHERE kernel IN "
        "(:a, :b) GROUP BY reason), "
        "scales AS (SELECT max(CASE kernel WHEN :a THEN %s END) AS a, max(CASE kernel WHEN :b THEN "
        "%s END) AS b "
        "FROM kernels k JOIN kernel_counts c USING(kernel)), "
        "totals AS (SELECT sum(a) AS a, sum(b) AS b FROM waits) "
        "SELECT 'all', t.a * s.a, t.b * s.b FROM totals t, scales s UNION ALL "
        "SELECT * FROM (SELECT replace(reason, '_', ' ') AS reason, w.a * s.a, w.b * s.b FROM "
        "waits w, scales s, totals t "
        "WHERE max(w.a / t.a, w.b / t.b) >= 0.01 ORDER BY max(w.a * s.a, w.b * s.b) DESC, reason)",
        scale, scale);
    const int result =
        sql ? query_each(query, NULL, sql, scope, append_difference, differences) : error_memory();
    free(sql);
    return result;
}

static int append_waits(struct differences *differences, struct query *query,
                        const struct scope *scope)
{
    char *sql = text_new("SELECT CASE WHEN sum(c.samples > 0) = 2 THEN count(%s) END FROM kernels "
                         "k JOIN kernel_counts c USING(kernel) "
                         "WHERE kernel IN (:a, :b)",
                         cycles_of);
    char *known = NULL;
    int result = sql ? query_text(query, NULL, sql, scope, &known) : error_memory();
    free(sql);
    if (result || !known) return result; /* one was not sampled, as its summary says */
    differences->are_shares = strcmp(known, "2") != 0;
    free(known);
    text_append(differences->page, "\n");
    append_table_heading(
        differences, differences->are_shares ? "% of stall samples" : "sampled cycles of a launch",
        differences->are_shares ? "B - A" : "B / A");
    result = append_reasons(differences, query, scope);
    if (!result && !differences->are_shares)
        terminal_paragraph(differences->page, differences->screen, STYLE_PLAIN, 0, "",
                           "Sampled cycles are samples times the sampling period: the warp cycles "
                           "that the samples stand for.");
    return result;
}

static int append_letter(void *context, const struct scope *row)
{
    const struct head *head = context;
    terminal_paragraph(head->page, head->screen, STYLE_PLAIN, 3, row->value[0], row->value[1]);
    return 0;
}

int kernel_summary_append_differences(struct text *page, struct query *query,
                                      const char *const kernels[2], const struct terminal *screen)
{
    static const char titles[] = "SELECT CASE WHEN kernel = :a THEN 'A' ELSE 'B' END, family || "
                                 "'/' || variant || ', size ' || "
                                 "size_text(size) || ', block ' || block || "
                                 "CASE WHEN sweep > 0 THEN ', sweep ' || sweep ELSE '' END || ', "
                                 "launch ' || launch FROM kernels WHERE "
                                 "kernel IN (:a, :b) ORDER BY 1";
    const struct scope scope = SCOPE_OF(STRINGS("a", "b"), kernels);
    struct differences differences = {page, screen, 0};
    struct head head = {page, screen};
    int result = query_each(query, NULL, titles, &scope, append_letter, &head);
    text_append(page, "\n");
    if (!result) result = append_numbers(&differences, query, &scope);
    if (!result) result = append_waits(&differences, query, &scope);
    if (!result && page->failed) result = error_memory();
    return result;
}
