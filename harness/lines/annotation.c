#include "lines/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/thresholds.h"
#include "lines/annotation_rows.h"
#include "lines/lines_format.h"

/* Columns of the statement of look_up; the count is of the lines of its text. */
enum file_cell { FILE_PATH, FILE_STATE, FILE_TEXT, FILE_LINES };
static const char files_sql[] =
    "SELECT s.path, s.state, t.text, coalesce((SELECT max(line) FROM source_text c WHERE c.source "
    "= s.source), 0) FROM source_state s LEFT JOIN source_text t ON t.source = s.source AND t.line "
    "= ?2 WHERE s.source = ?1";

enum { GAP = 2, LEAST_LOCATION = 4, MOST_LOCATION = 32 };

struct layout {
    const struct annotation *annotation;
    struct annotation_rows lines, instructions;
    sqlite3_stmt *files; /* for look_up */
    int column[LINE_METRIC_COUNT], width[LINE_METRIC_COUNT];
    int count; /* columns */
    int shown; /* of them, from the left: those that fit on the screen */
    int location_width;
    int heat; /* the metric that colours lines by their share of it; -1 for none */
    double heat_total;
    int left_out; /* lines that are not hot */
    struct text *page;
};

/* ---- columns --------------------------------------------------------------------------------- */

static int has_values(const struct annotation_rows *rows, int metric)
{
    for (int i = 0; i < rows->count; i++)
        if (rows->row[i].value[metric]) return 1;
    return 0;
}

static int is_column(const struct layout *layout, int metric)
{
    for (int i = 0; i < layout->count; i++)
        if (layout->column[i] == metric) return 1;
    return 0;
}

/* The columns that were asked for, otherwise the basic ones that have values; and always the one
 * that sorts. */
static void choose_columns(struct layout *layout)
{
    const struct annotation *annotation = layout->annotation;
    for (int i = 0; i < annotation->metric_count; i++)
        if (!is_column(layout, annotation->metric[i]))
            layout->column[layout->count++] = annotation->metric[i];
    for (int i = 0; i < LINE_METRIC_COUNT && annotation->metric_count == 0; i++)
        if (line_metrics[i].is_basic == LINE_IF_ANY
                ? annotation_rows_sum(&layout->lines, i) > 0
                : line_metrics[i].is_basic && has_values(&layout->lines, i))
            layout->column[layout->count++] = i;
    if (annotation->sort < 0 || is_column(layout, annotation->sort)) return;
    memmove(layout->column + 1, layout->column, (size_t)layout->count * sizeof *layout->column);
    layout->column[0] = annotation->sort;
    layout->count++;
}

static int try_heat(struct layout *layout, int metric)
{
    if (metric < 0 || layout->heat >= 0 || !line_metrics[metric].adds_up) return 0;
    layout->heat_total = annotation_rows_sum(&layout->lines, metric);
    if (layout->heat_total > 0) layout->heat = metric;
    return layout->heat >= 0;
}

/* The first one that adds up among the metric that sorts, those that were asked for, stall samples
 * and the other columns. */
static void choose_heat(struct layout *layout)
{
    layout->heat = -1;
    try_heat(layout, layout->annotation->sort);
    for (int i = 0; i < layout->annotation->metric_count; i++)
        try_heat(layout, layout->annotation->metric[i]);
    try_heat(layout, line_column_find("samples"));
    for (int i = 0; i < layout->count; i++) try_heat(layout, layout->column[i]);
}

static int widest(const struct layout *layout, const struct annotation_rows *rows, int metric,
                  int width)
{
    for (int i = 0; i < rows->count; i++) {
        struct text cell = {0};
        line_column_append(&cell, &line_metrics[metric], rows->row[i].value[metric]);
        const int own = terminal_width(text_string(&cell));
        if (own > width) width = own;
        text_free_piece(&cell, layout->page);
    }
    return width;
}

/* Returns a cell of a file, or its text at this line, until the next call; NULL if unknown. */
static const char *look_up(const struct layout *layout, int source, enum file_cell cell, int line)
{
    sqlite3_reset(layout->files);
    sqlite3_bind_int(layout->files, 1, source);
    sqlite3_bind_int(layout->files, 2, line);
    if (sqlite3_step(layout->files) != SQLITE_ROW) return NULL;
    return (const char *)sqlite3_column_text(layout->files, cell);
}

/* Appends the number of a line, with its file if `with_file` is 1. */
static void append_location(const struct layout *layout, struct text *text, int with_file,
                            struct location location)
{
    const char *path = look_up(layout, location.source, FILE_PATH, 0);
    if (location.source < 0) return;
    if (with_file) text_format(text, "%s:", path ? text_base_name(path) : "?");
    text_format(text, "%d", location.line);
}

static void measure(struct layout *layout)
{
    int used;
    layout->location_width = LEAST_LOCATION;
    for (int i = 0; i < layout->lines.count; i++) {
        struct text location = {0};
        const struct annotation_row *row = &layout->lines.row[i];
        append_location(layout, &location, layout->annotation->sort >= 0,
                        (struct location){row->source, row->line});
        const int width = terminal_width(text_string(&location));
        if (width > layout->location_width)
            layout->location_width = width < MOST_LOCATION ? width : MOST_LOCATION;
        text_free_piece(&location, layout->page);
    }
    used = layout->location_width + GAP + ANNOTATION_LEAST_TEXT;
    layout->shown = 0;
    for (int i = 0; i < layout->count; i++) {
        const int metric = layout->column[i];
        layout->width[i] =
            widest(layout, &layout->lines, metric, (int)strlen(line_metrics[metric].heading));
        if (layout->annotation->sass)
            layout->width[i] = widest(layout, &layout->instructions, metric, layout->width[i]);
        used += GAP + layout->width[i];
        if (layout->shown == i && used <= layout->annotation->screen->columns) layout->shown++;
    }
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* Appends a cell: words are aligned to the left, numbers to the right. */
static void append_cell(struct text *line, const char *cell, int width, int to_left)
{
    struct text fitted = {0};
    const int used = terminal_append(&fitted, cell, width);
    if (!to_left) terminal_blanks(line, width - used);
    text_append(line, text_string(&fitted));
    if (to_left) terminal_blanks(line, width - used);
    text_free_piece(&fitted, line);
}

/* Appends the line without the blanks at its end. */
static void end_line(struct text *page, struct text *line)
{
    while (line->length > 0 && line->data[line->length - 1] == ' ') line->data[--line->length] = 0;
    text_append(page, text_string(line));
    text_append(page, "\n");
    text_free_piece(line, page);
}

static enum terminal_style heat_of(const struct layout *layout, const struct annotation_row *row)
{
    if (layout->heat < 0 || row->pc || !row->value[layout->heat]) return STYLE_PLAIN;
    const double share = 100 * strtod(row->value[layout->heat], NULL) / layout->heat_total;
    return share >= ANNOTATION_HOT_PCT    ? STYLE_HOT
           : share >= ANNOTATION_WARM_PCT ? STYLE_WARM
                                          : STYLE_PLAIN;
}

/* Appends the location and the numbers; `row` is NULL for a line without instructions. */
static void append_numbers(const struct layout *layout, struct text *line, const char *location,
                           const struct annotation_row *row)
{
    const enum terminal_style style = row ? heat_of(layout, row) : STYLE_PLAIN;
    if (style != STYLE_PLAIN) terminal_style(line, layout->annotation->screen, style);
    append_cell(line, location, layout->location_width, layout->annotation->sort >= 0);
    for (int i = 0; i < layout->shown; i++) {
        const struct line_metric *metric = &line_metrics[layout->column[i]];
        struct text cell = {0};
        if (row) line_column_append(&cell, metric, row->value[layout->column[i]]);
        terminal_blanks(line, GAP);
        append_cell(line, text_string(&cell), layout->width[i], metric->format == LINE_WORD);
        text_free_piece(&cell, line);
    }
    if (style != STYLE_PLAIN) terminal_style(line, layout->annotation->screen, STYLE_PLAIN);
}

static int text_columns(const struct layout *layout)
{
    int columns = layout->annotation->screen->columns - layout->location_width - GAP;
    for (int i = 0; i < layout->shown; i++) columns -= GAP + layout->width[i];
    return columns;
}

static void append_row(const struct layout *layout, const char *location,
                       const struct annotation_row *row, enum terminal_style style,
                       const char *words)
{
    struct text line = {0};
    append_numbers(layout, &line, location, row);
    if (words && *words) {
        terminal_blanks(&line, GAP);
        if (style != STYLE_PLAIN) terminal_style(&line, layout->annotation->screen, style);
        terminal_append(&line, words, text_columns(layout));
        if (style != STYLE_PLAIN) terminal_style(&line, layout->annotation->screen, STYLE_PLAIN);
    }
    end_line(layout->page, &line);
}

/* Appends the headings of the columns; `words` stands above the text. */
static void append_heading(const struct layout *layout, const char *words)
{
    const struct terminal *screen = layout->annotation->screen;
    struct text line = {0};
    terminal_style(&line, screen, STYLE_HEADING);
    append_cell(&line, "line", layout->location_width, layout->annotation->sort >= 0);
    for (int i = 0; i < layout->shown; i++) {
        const struct line_metric *metric = &line_metrics[layout->column[i]];
        terminal_blanks(&line, GAP);
        append_cell(&line, metric->heading, layout->width[i], metric->format == LINE_WORD);
    }
    terminal_blanks(&line, GAP);
    terminal_append(&line, words, text_columns(layout));
    terminal_style(&line, screen, STYLE_PLAIN);
    end_line(layout->page, &line);
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Appends the inlining chain of an instruction, without the line that it stands under: the lines
 * that it was taken from and those that they were inlined at. Empty for an instruction that was
 * written there. */
static void append_chain(const struct layout *layout, struct text *text,
                         const struct annotation_row *row)
{
    const char *list = row->inlined_at ? row->inlined_at : "";
    struct location location = {row->own_source, row->own_line};
    for (int i = 0; i == 0 || location_next(&list, &location) > 0; i++) {
        if (i == row->depth || location.source < 0) continue;
        text_append(text, i == 0                                ? "of "
                          : i == row->depth + 1 && text->length ? ", inlined at "
                          : i == row->depth + 1                 ? "inlined at "
                                                                : " in ");
        append_location(layout, text, 1, location);
    }
}

static int same_chain(const struct annotation_row *a, const struct annotation_row *b)
{
    return a->depth == b->depth &&
           !strcmp(a->inlined_at ? a->inlined_at : "", b->inlined_at ? b->inlined_at : "") &&
           (a->depth == 0 || (a->own_source == b->own_source && a->own_line == b->own_line));
}

/* Appends words across all columns but the first. */
static void append_remark(const struct layout *layout, const char *words)
{
    const struct terminal *screen = layout->annotation->screen;
    struct text line = {0};
    terminal_style(&line, screen, STYLE_FAINT);
    terminal_blanks(&line, layout->location_width + GAP);
    terminal_append(&line, words, screen->columns - layout->location_width - GAP);
    terminal_style(&line, screen, STYLE_PLAIN);
    end_line(layout->page, &line);
}

static void append_instructions(const struct layout *layout, const struct annotation_row *line)
{
    const struct annotation_row *before = NULL;
    for (int i = 0; i < layout->instructions.count; i++) {
        const struct annotation_row *row = &layout->instructions.row[i];
        if (row->source != line->source || row->line != line->line) continue;
        struct text words = {0};
        append_chain(layout, &words, row);
        if (words.length && (!before || !same_chain(before, row)))
            append_remark(layout, text_string(&words));
        text_free_piece(&words, layout->page);
        text_format(&words, "  %04llx  %s", strtoull(row->pc, NULL, 10),
                    row->sass ? row->sass : "(text unknown)");
        append_row(layout, "", row, STYLE_FAINT, text_string(&words));
        text_free_piece(&words, layout->page);
        before = row;
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void append_line(const struct layout *layout, const struct annotation_row *row)
{
    const int is_sorted = layout->annotation->sort >= 0;
    struct text location = {0};
    append_location(layout, &location, is_sorted, (struct location){row->source, row->line});
    const char *text = look_up(layout, row->source, FILE_TEXT, row->line);
    if (is_sorted && text) text += strspn(text, " \t");
    append_row(layout, text_string(&location), row, STYLE_PLAIN,
               row->source < 0 ? "(source line unknown)" : text);
    text_free_piece(&location, layout->page);
    if (layout->annotation->sass) append_instructions(layout, row);
}

/* Appends a range of lines without instructions. */
static void append_context(const struct layout *layout, int source, int from, int to)
{
    for (int line = from; line <= to; line++) {
        char location[16];
        snprintf(location, sizeof location, "%d", line);
        append_row(layout, location, NULL, STYLE_FAINT, look_up(layout, source, FILE_TEXT, line));
    }
}

/* Appends the lines of a file between two lines with instructions. `last` is 0 before the first of
 * these, `next` is beyond `count` after the last one. A gap is marked unless one line would fill
 * it. */
static void append_between(const struct layout *layout, int source, int count, int last, int next)
{
    const int is_inside = last > 0 && next <= count;
    const int after = last > 0 ? last + ANNOTATION_CONTEXT : 0,
              before = next <= count ? next - ANNOTATION_CONTEXT : count + 1;
    if (before - after <= (is_inside ? 2 : 1)) {
        append_context(layout, source, last + 1, next - 1);
        return;
    }
    append_context(layout, source, last + 1, after);
    if (is_inside) append_row(layout, "\xE2\x80\xA6", NULL, STYLE_PLAIN, NULL);
    append_context(layout, source, before, next - 1);
}

/* Why a file of this state has no text; NULL if it has. */
static const char *why_no_text(const char *state)
{
    static const struct {
        const char *state, *why;
    } reasons[] = {{"missing", "the run does not have the file"},
                   {"gone", "the file was gone when the program ran"},
                   {"elsewhere", "the file is not here as it was when the report was made"},
                   {"foreign", "the file is not part of the project"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (!strcmp(state, reasons[i].state)) return reasons[i].why;
    return NULL;
}

static void append_file_heading(const struct layout *layout, int source)
{
    const char *path = look_up(layout, source, FILE_PATH, 0);
    struct text words = {0};
    append_heading(layout, path ? path : "instructions without a source line");
    const char *state = look_up(layout, source, FILE_STATE, 0);
    const char *why = state ? why_no_text(state) : NULL;
    text_format(&words, "(text not shown: %s)", why ? why : "");
    if (why) append_remark(layout, text_string(&words));
    text_free_piece(&words, layout->page);
}

static void append_in_source_order(const struct layout *layout)
{
    const struct annotation_rows *rows = &layout->lines;
    for (int i = 0; i < rows->count; i++) {
        const struct annotation_row *row = &rows->row[i];
        const char *lines = look_up(layout, row->source, FILE_LINES, 0);
        const int count = lines ? (int)strtol(lines, NULL, 10) : 0;
        const int begins = i == 0 || rows->row[i - 1].source != row->source;
        const int ends = i + 1 == rows->count || rows->row[i + 1].source != row->source;
        const int has_text = row->line >= 1 && row->line <= count;
        if (begins && i > 0) text_append(layout->page, "\n");
        if (begins) append_file_heading(layout, row->source);
        if (has_text)
            append_between(layout, row->source, count, begins ? 0 : rows->row[i - 1].line,
                           row->line);
        append_line(layout, row);
        if (has_text && ends) append_between(layout, row->source, count, row->line, count + 1);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void append_paragraph(const struct layout *layout, struct text *words)
{
    if (words->length)
        terminal_paragraph(layout->page, layout->annotation->screen, STYLE_PLAIN, 0, "",
                           text_string(words));
    text_free_piece(words, layout->page);
}

/* Explains the columns and the colours, and names the columns that do not fit. */
static void append_legend(const struct layout *layout)
{
    struct text shown = {0}, missing = {0}, colours = {0}, left_out = {0};
    for (int i = 0; i < layout->count; i++) {
        const struct line_metric *metric = &line_metrics[layout->column[i]];
        if (i < layout->shown)
            text_format(&shown, "%s%s: %s", i ? "; " : "", metric->heading, metric->means);
        else
            text_format(&missing, "%s%s",
                        missing.length ? ", " : "Not shown for lack of room: ", metric->heading);
    }
    if (shown.length) text_append(&shown, ".");
    if (missing.length) text_append(&missing, ".");
    if (layout->annotation->screen->colour && layout->heat >= 0)
        text_format(&colours, "Yellow: from %d %% of the kernel's %s; red: from %d %%.",
                    ANNOTATION_WARM_PCT, line_metrics[layout->heat].name, ANNOTATION_HOT_PCT);
    if (layout->left_out)
        text_format(&left_out, "Only the hot lines: %d below %d %% are left out; --all shows them.",
                    layout->left_out, SHOWN_LINE_PCT);
    append_paragraph(layout, &shown);
    append_paragraph(layout, &missing);
    append_paragraph(layout, &colours);
    append_paragraph(layout, &left_out);
}

int annotation_append(struct text *page, const struct annotation *annotation)
{
    struct layout layout = {.annotation = annotation, .page = page};
    struct query *query = annotation->query;
    int result =
        annotation_rows_read(&layout.lines, query, annotation->kernel, 0, annotation->sort);
    if (!result && annotation->sass)
        result = annotation_rows_read(&layout.instructions, query, annotation->kernel, 1, -1);
    if (!result) result = query_prepare_write(query, files_sql, &layout.files);
    if (!result && layout.lines.count > 0) {
        choose_columns(&layout);
        choose_heat(&layout);
        if (annotation->hot_only)
            layout.left_out = annotation_rows_keep_hot(
                &layout.lines, annotation->metric, annotation->metric_count, SHOWN_LINE_PCT);
        measure(&layout);
        append_legend(&layout);
        text_append(page, "\n");
        if (annotation->sort < 0) append_in_source_order(&layout);
        if (annotation->sort >= 0) append_heading(&layout, "");
        for (int i = 0; i < layout.lines.count && annotation->sort >= 0; i++)
            append_line(&layout, &layout.lines.row[i]);
    }
    if (!result && page->failed) result = error_memory();
    sqlite3_finalize(layout.files);
    annotation_rows_free(&layout.instructions);
    annotation_rows_free(&layout.lines);
    return result;
}
