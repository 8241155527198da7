#include "lines/kernel_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lines/line_columns.h"

enum { LABEL = 11 };

/* ---- one kernel ------------------------------------------------------------------------------ */

struct head {
    struct text *page;
    const struct terminal *screen;
};

static const char *value_of(const struct scope *row, const char *name)
{
    const char *value = scope_value(row, name, NULL);
    return value ? value : "";
}

static void append_line(const struct head *head, const char *label, const struct text *words)
{
    terminal_paragraph(head->page, head->screen, STYLE_PLAIN, LABEL, label, text_string(words));
}

/* Appends a paragraph of one column of the row unless it is NULL. */
static void append_column(const struct head *head, const char *label, const struct scope *row,
                          const char *name)
{
    const char *value = scope_value(row, name, NULL);
    if (value) terminal_paragraph(head->page, head->screen, STYLE_PLAIN, LABEL, label, value);
}

static void append_title(const struct head *head, const struct scope *row)
{
    struct text words = {0};
    text_format(&words, "%s/%s, size %s, block %s", value_of(row, "family"),
                value_of(row, "variant"), value_of(row, "size_words"), value_of(row, "block"));
    if (strcmp(value_of(row, "sweep"), "0"))
        text_format(&words, ", sweep %s", value_of(row, "sweep"));
    text_format(&words, ", launch %s", value_of(row, "launch"));
    if (scope_value(row, "launch_count", NULL))
        text_format(&words, " of %s", value_of(row, "launch_count"));
    terminal_paragraph(head->page, head->screen, STYLE_HEADING, 0, "", text_string(&words));
    text_free_piece(&words, head->page);
}

static void append_counts(const struct head *head, const struct scope *row)
{
    const struct line_metric ratio = {.format = LINE_RATIO};
    struct text words = {0};
    if (strcmp(value_of(row, "counts_status"), "ok")) {
        append_column(head, "counts", row, "counts_status");
        return;
    }
    text_format(&words, "%s warp instructions, ", value_of(row, "executed_words"));
    line_column_append(&words, &ratio, scope_value(row, "lanes", NULL));
    text_append(&words, " of 32 lanes on");
    if (scope_value(row, "shared_wavefronts", NULL)) {
        text_format(&words, "; %s shared-memory wavefronts, %s of them excess",
                    value_of(row, "wavefront_words"), value_of(row, "excess_words"));
        if (scope_value(row, "ways", NULL)) {
            text_append(&words, " (");
            line_column_append(&words, &ratio, scope_value(row, "ways", NULL));
            text_append(&words, "-way)");
        }
    }
    append_line(head, "counts", &words);
    text_free_piece(&words, head->page);
}

static void append_samples(const struct head *head, const struct scope *row)
{
    const struct line_metric percent = {.format = LINE_PERCENT};
    struct text words = {0};
    if (strcmp(value_of(row, "samples_status"), "ok")) {
        append_column(head, "samples", row, "samples_status");
        return;
    }
    text_format(&words, "%s stall samples at its instructions", value_of(row, "sample_words"));
    if (scope_value(row, "sampled_launches", NULL))
        text_format(&words, ", from %s launch%s", value_of(row, "sampled_words"),
                    strcmp(value_of(row, "sampled_words"), "1") ? "es" : "");
    if (scope_value(row, "period_cycles", NULL))
        text_format(&words, ", one every %s cycles", value_of(row, "period_words"));
    if (scope_value(row, "samples_elsewhere", NULL))
        text_format(&words, "; %s elsewhere", value_of(row, "elsewhere_words"));
    if (scope_value(row, "samples_dropped", NULL))
        text_format(&words, ", %s dropped", value_of(row, "dropped_words"));
    if (scope_value(row, "reason", NULL)) {
        text_format(&words, "; mainly %s (", value_of(row, "reason"));
        line_column_append(&words, &percent, scope_value(row, "reason_pct", NULL));
        text_append(&words, " %)");
    }
    append_line(head, "samples", &words);
    text_free_piece(&words, head->page);
}

static void append_conflicts(const struct head *head, const struct scope *row)
{
    const enum terminal_style style =
        strcmp(value_of(row, "views_agree"), "0") ? STYLE_PLAIN : STYLE_HOT;
    if (scope_value(row, "views", NULL))
        terminal_paragraph(head->page, head->screen, style, LABEL, "conflicts",
                           value_of(row, "views"));
    append_column(head, "cost", row, "cost");
}

static int append_kernel(void *context, const struct scope *row)
{
    const struct head *head = context;
    struct text words = {0};
    append_title(head, row);
    text_format(&words, "%s", value_of(row, "name"));
    if (scope_value(row, "instructions", NULL))
        text_format(&words, " (%s instructions)", value_of(row, "instructions_words"));
    append_line(head, "kernel", &words);
    text_free_piece(&words, head->page);
    append_counts(head, row);
    append_samples(head, row);
    if (strcmp(value_of(row, "lines_status"), "ok"))
        append_column(head, "lines", row, "lines_status");
    if (strcmp(value_of(row, "sass_status"), "ok")) append_column(head, "SASS", row, "sass_status");
    append_conflicts(head, row);
    return head->page->failed ? error_memory() : 0;
}

int kernel_summary_append(struct text *page, struct query *query, const char *kernel,
                          const struct terminal *screen)
{
    static const char sql[] = "SELECT *, size_text(size) AS size_words, human(instructions) AS "
                              "instructions_words, human(executed) AS executed_words, "
                              "human(shared_wavefronts) AS wavefront_words, human(excess) AS "
                              "excess_words, human(samples) AS sample_words, "
                              "human(period_cycles) AS period_words, human(samples_elsewhere) AS "
                              "elsewhere_words, human(samples_dropped) AS dropped_words, "
                              "human(launches) AS launch_count, human(sampled_launches) AS "
                              "sampled_words FROM kernel_sums WHERE kernel = :kernel";
    const char *const name = "kernel";
    const struct scope scope = {NULL, 1, &name, &kernel};
    struct head head = {page, screen};
    return query_each(query, NULL, sql, &scope, append_kernel, &head);
}

/* ---- two kernels ----------------------------------------------------------------------------- */

enum { NUMBER = 12, MOST_NAME = 28 };

/* A table with the columns name, A, B and the change. */
struct differences {
    struct text *page;
    const struct terminal *screen;
    int are_shares; /* in per cent, compared by their difference; other numbers by their ratio */
};

static void append_right(struct text *line, const char *cell)
{
    terminal_blanks(line, NUMBER - terminal_width(cell));
    text_append(line, cell);
}

static void append_number(struct text *line, const struct line_metric *metric, const char *value)
{
    struct text cell = {0};
    line_column_append(&cell, metric, value);
    append_right(line, text_string(&cell));
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
    if (*change) append_right(&line, change);
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
    append_right(&line, "A");
    append_right(&line, "B");
    append_right(&line, change);
    terminal_style(differences->page, differences->screen, STYLE_HEADING);
    text_append(differences->page, text_string(&line));
    terminal_style(differences->page, differences->screen, STYLE_PLAIN);
    text_append(differences->page, "\n");
    text_free_piece(&line, differences->page);
}

/* The compared columns of kernel_counts. */
static const struct {
    const char *name, *column;
} compared[] = {
    {"SASS instructions", "instructions"},      {"warp instructions", "executed"},
    {"thread instructions on", "threads_on"},   {"divergent targets", "branches_divergent"},
    {"shared wavefronts", "shared_wavefronts"}, {"excess wavefronts", "excess"},
    {"global sectors", "global_sectors"},       {"global excess sectors", "global_excess"},
    {"local sectors", "local_sectors"},
};

static int append_numbers(struct differences *differences, struct query *query,
                          const struct scope *scope)
{
    struct text sql = {0};
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
        text_format(&sql,
                    "%sSELECT '%s', a.%s, b.%s FROM kernel_counts a, kernel_counts b WHERE "
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
        "SELECT * FROM (SELECT reason, w.a * s.a, w.b * s.b FROM waits w, scales s, totals t "
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
    const char *const names[] = {"a", "b"};
    const struct scope scope = {NULL, 2, names, kernels};
    struct differences differences = {page, screen, 0};
    struct head head = {page, screen};
    int result = query_each(query, NULL, titles, &scope, append_letter, &head);
    text_append(page, "\n");
    if (!result) result = append_numbers(&differences, query, &scope);
    if (!result) result = append_waits(&differences, query, &scope);
    if (!result && page->failed) result = error_memory();
    return result;
}
