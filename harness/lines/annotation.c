#include "lines/annotation.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "lines/annotation_rows.h"
#include "lines/lines_format.h"

enum { GAP = 2, LEAST_LOCATION = 4, MOST_LOCATION = 32 };

/* What is shown, and where. */
struct layout {
    const struct annotation *annotation;
    struct line_rows lines, instructions;
    struct line_files files;
    int column[LINE_METRIC_COUNT], width[LINE_METRIC_COUNT];
    int count; /* columns */
    int shown; /* of them, from the left, for which there is room */
    int location_width;
    int heat; /* the metric by whose share lines are coloured; -1: none */
    double heat_total;
    struct text *page;
};

/* ---- columns --------------------------------------------------------------------------------- */

static int has_values(const struct line_rows *rows, int metric)
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

/* Those that were asked for; else the basic ones that have values. What is sorted by is always
 * seen. */
static void choose_columns(struct layout *layout)
{
    const struct annotation *annotation = layout->annotation;
    for (int i = 0; i < annotation->metric_count; i++)
        if (!is_column(layout, annotation->metric[i]))
            layout->column[layout->count++] = annotation->metric[i];
    for (int i = 0; i < LINE_METRIC_COUNT && annotation->metric_count == 0; i++)
        if (line_metrics[i].is_basic && has_values(&layout->lines, i))
            layout->column[layout->count++] = i;
    if (annotation->sort < 0 || is_column(layout, annotation->sort)) return;
    memmove(layout->column + 1, layout->column, (size_t)layout->count * sizeof *layout->column);
    layout->column[0] = annotation->sort;
    layout->count++;
}

static double sum_of(const struct line_rows *rows, int metric)
{
    double sum = 0;
    for (int i = 0; i < rows->count; i++)
        if (rows->row[i].value[metric]) sum += strtod(rows->row[i].value[metric], NULL);
    return sum;
}

static int try_heat(struct layout *layout, int metric)
{
    if (metric < 0 || layout->heat >= 0 || !line_metrics[metric].adds_up) return 0;
    layout->heat_total = sum_of(&layout->lines, metric);
    if (layout->heat_total > 0) layout->heat = metric;
    return layout->heat >= 0;
}

/* The first that adds up of: what is sorted by, what was asked for, stall samples, and the other
 * columns. */
static void choose_heat(struct layout *layout)
{
    layout->heat = -1;
    try_heat(layout, layout->annotation->sort);
    for (int i = 0; i < layout->annotation->metric_count; i++)
        try_heat(layout, layout->annotation->metric[i]);
    try_heat(layout, line_column_find("samples"));
    for (int i = 0; i < layout->count; i++) try_heat(layout, layout->column[i]);
}

static int widest(const struct layout *layout, const struct line_rows *rows, int metric, int width)
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

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A line in source order by its number, else with its file; nothing where none is known. */
static void append_location(const struct layout *layout, struct text *text, int source, int line)
{
    const struct line_file *file = line_files_find(&layout->files, source);
    if (source < 0) return;
    if (layout->annotation->sort >= 0 && file) text_format(text, "%s:", base_name(file->path));
    text_format(text, "%d", line);
}

static void measure(struct layout *layout)
{
    int used;
    layout->location_width = LEAST_LOCATION;
    for (int i = 0; i < layout->lines.count; i++) {
        struct text location = {0};
        append_location(layout, &location, layout->lines.row[i].source, layout->lines.row[i].line);
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

/* Appends a piece in its column: words to the left, numbers to the right. */
static void append_cell(struct text *line, const char *cell, int width, int to_left)
{
    struct text fitted = {0};
    const int used = terminal_append(&fitted, cell, width);
    if (!to_left) terminal_blanks(line, width - used);
    text_append(line, text_string(&fitted));
    if (to_left) terminal_blanks(line, width - used);
    text_free_piece(&fitted, line);
}

/* The line is complete: its blanks at the end go. */
static void end_line(struct text *page, struct text *line)
{
    while (line->length > 0 && line->data[line->length - 1] == ' ') line->data[--line->length] = 0;
    text_append(page, text_string(line));
    text_append(page, "\n");
    text_free_piece(line, page);
}

static enum terminal_style heat_of(const struct layout *layout, const struct line_row *row)
{
    if (layout->heat < 0 || row->pc || !row->value[layout->heat]) return STYLE_PLAIN;
    const double share = 100 * strtod(row->value[layout->heat], NULL) / layout->heat_total;
    return share >= ANNOTATION_HOT_PCT    ? STYLE_HOT
           : share >= ANNOTATION_WARM_PCT ? STYLE_WARM
                                          : STYLE_PLAIN;
}

/* The location and the numbers; `row` NULL for a line without instructions. */
static void append_numbers(const struct layout *layout, struct text *line, const char *location,
                           const struct line_row *row)
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
                       const struct line_row *row, enum terminal_style style, const char *words)
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

/* What the columns are, and in their last location what the text is of. */
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

static void append_link(const struct layout *layout, struct text *text,
                        const struct location *location)
{
    const struct line_file *file = line_files_find(&layout->files, location->source);
    text_format(text, "%s:%d", file ? base_name(file->path) : "?", location->line);
}

/* The way by which the instruction came to this line: out of what, and inlined where. Empty when
 * it was written there. */
static void append_chain(const struct layout *layout, struct text *text, const struct line_row *row)
{
    const char *list = row->inlined_at;
    struct location location = {row->own_source ? (int)strtol(row->own_source, NULL, 10) : -1,
                                row->own_line ? (int)strtol(row->own_line, NULL, 10) : 0};
    for (int i = 0; i == 0 || (list && location_next(&list, &location) > 0); i++) {
        if (i == row->depth) continue; /* the line that it stands under */
        text_append(text, i == 0                ? "of "
                          : i < row->depth      ? " in "
                          : i == row->depth + 1 ? (i > 1 ? ", inlined at " : "inlined at ")
                                                : " in ");
        append_link(layout, text, &location);
    }
}

static int same_chain(const struct line_row *a, const struct line_row *b)
{
    const char *x = a->inlined_at ? a->inlined_at : "", *y = b->inlined_at ? b->inlined_at : "";
    return a->depth == b->depth && !strcmp(x, y) &&
           (a->depth == 0 ||
            (a->own_source && b->own_source && !strcmp(a->own_source, b->own_source) &&
             !strcmp(a->own_line, b->own_line)));
}

/* Words that belong to no column: over the whole width, but for the locations. */
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

static void append_instructions(const struct layout *layout, const struct line_row *line)
{
    const struct line_row *before = NULL;
    for (int i = 0; i < layout->instructions.count; i++) {
        const struct line_row *row = &layout->instructions.row[i];
        if (row->source != line->source || row->line != line->line) continue;
        struct text words = {0};
        append_chain(layout, &words, row);
        if (words.length && (!before || !same_chain(before, row)))
            append_remark(layout, text_string(&words));
        text_free_piece(&words, layout->page);
        text_format(&words, "  %04llx  %s", strtoull(row->pc, NULL, 10),
                    row->sass ? row->sass : "(its text is not known)");
        append_row(layout, "", row, STYLE_FAINT, text_string(&words));
        text_free_piece(&words, layout->page);
        before = row;
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const char *text_of(const struct line_file *file, int line)
{
    return file && line >= 1 && line <= file->count ? file->line[line - 1] : NULL;
}

static void append_line(const struct layout *layout, const struct line_file *file,
                        const struct line_row *row)
{
    struct text location = {0};
    const char *text = text_of(file, row->line);
    append_location(layout, &location, row->source, row->line);
    if (layout->annotation->sort >= 0 && text) text += strspn(text, " \t");
    append_row(layout, text_string(&location), row, STYLE_PLAIN,
               row->source < 0 ? "(no source line is known)" : text);
    text_free_piece(&location, layout->page);
    if (layout->annotation->sass) append_instructions(layout, row);
}

/* Lines without instructions, from one to another. */
static void append_context(const struct layout *layout, const struct line_file *file, int from,
                           int to)
{
    for (int line = from; line <= to; line++) {
        char location[16];
        snprintf(location, sizeof location, "%d", line);
        append_row(layout, location, NULL, STYLE_FAINT, text_of(file, line));
    }
}

/* What stands between two lines of one file with instructions; `last` is the one before, 0 for
 * none, `next` the one behind, past the end for none. */
static void append_between(const struct layout *layout, const struct line_file *file, int last,
                           int next)
{
    const int is_first = last == 0, is_last = next > file->count;
    int end = is_first ? 0 : last + ANNOTATION_CONTEXT,
        start = is_last ? file->count + 1 : next - ANNOTATION_CONTEXT;
    if (end >= next) end = next - 1;
    if (start <= end) start = end + 1;
    append_context(layout, file, last + 1, end);
    if (start == end + 2 && !is_first && !is_last)
        append_context(layout, file, start - 1, start - 1); /* the mark would take as much room */
    else if (start > end + 1 && !is_first && !is_last)
        append_row(layout, "\xE2\x80\xA6", NULL, STYLE_PLAIN, NULL);
    if (start < 1) start = 1;
    append_context(layout, file, start, next - 1 > file->count ? file->count : next - 1);
}

/* Why a file of this state has no text; NULL when it has. */
static const char *why_no_text(const char *state)
{
    static const struct {
        const char *state, *why;
    } reasons[] = {{"missing", "the file is not there, or cannot be read"},
                   {"differs", "the file is not what was measured"},
                   {"unverified", "the run has no hash of the file"},
                   {"foreign", "no file of the project"}};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (!strcmp(state, reasons[i].state)) return reasons[i].why;
    return NULL;
}

static void append_file_heading(const struct layout *layout, const struct line_file *file)
{
    const char *why = file ? why_no_text(file->state) : NULL;
    struct text words = {0};
    append_heading(layout, file ? file->path : "instructions without a source line");
    text_format(&words, "(text not shown: %s)", why ? why : "");
    if (why) append_remark(layout, text_string(&words));
    text_free_piece(&words, layout->page);
}

static void append_in_source_order(const struct layout *layout)
{
    const struct line_rows *rows = &layout->lines;
    for (int i = 0; i < rows->count; i++) {
        const struct line_row *row = &rows->row[i];
        const struct line_file *file = line_files_find(&layout->files, row->source);
        const int begins = i == 0 || rows->row[i - 1].source != row->source;
        const int ends = i + 1 == rows->count || rows->row[i + 1].source != row->source;
        const int has_text = text_of(file, row->line) != NULL;
        if (begins && i > 0) text_append(layout->page, "\n");
        if (begins) append_file_heading(layout, file);
        if (has_text) append_between(layout, file, begins ? 0 : rows->row[i - 1].line, row->line);
        append_line(layout, file, row);
        if (has_text && ends) append_between(layout, file, row->line, file->count + 1);
    }
}

static void append_sorted(const struct layout *layout)
{
    append_heading(layout, "");
    for (int i = 0; i < layout->lines.count; i++)
        append_line(layout, line_files_find(&layout->files, layout->lines.row[i].source),
                    &layout->lines.row[i]);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void append_remarks(const struct layout *layout, const struct text *words)
{
    if (words->length)
        terminal_paragraph(layout->page, layout->annotation->screen, STYLE_PLAIN, 0, "",
                           text_string(words));
}

/* What the columns are, which there is no room for, what the colours mean. */
static void append_legend(const struct layout *layout)
{
    struct text shown = {0}, missing = {0}, colours = {0};
    for (int i = 0; i < layout->count; i++) {
        const struct line_metric *metric = &line_metrics[layout->column[i]];
        if (i < layout->shown)
            text_format(&shown, "%s%s: %s", i ? "; " : "", metric->heading, metric->means);
        else
            text_format(&missing, "%s%s",
                        missing.length ? ", " : "For want of room not shown: ", metric->heading);
    }
    if (shown.length) text_append(&shown, ".");
    if (missing.length) text_append(&missing, ".");
    if (layout->annotation->screen->colour && layout->heat >= 0)
        text_format(&colours, "Yellow: from %d %% of the kernel's %s; red: from %d %%.",
                    ANNOTATION_WARM_PCT, line_metrics[layout->heat].name, ANNOTATION_HOT_PCT);
    append_remarks(layout, &shown);
    append_remarks(layout, &missing);
    append_remarks(layout, &colours);
    text_free_piece(&shown, layout->page);
    text_free_piece(&missing, layout->page);
    text_free_piece(&colours, layout->page);
}

int annotation_append(struct text *page, const struct annotation *annotation)
{
    struct layout layout = {.annotation = annotation, .page = page};
    int result =
        line_rows_read(&layout.lines, annotation->query, annotation->kernel, annotation->sort);
    if (!result) result = line_files_read(&layout.files, annotation->query, annotation->kernel);
    if (!result && annotation->sass)
        result = instruction_rows_read(&layout.instructions, annotation->query, annotation->kernel);
    if (!result && layout.lines.count > 0) {
        choose_columns(&layout);
        choose_heat(&layout);
        measure(&layout);
        append_legend(&layout);
        text_append(page, "\n");
        if (annotation->sort < 0)
            append_in_source_order(&layout);
        else
            append_sorted(&layout);
    }
    if (!result && page->failed) result = error_memory();
    line_rows_free(&layout.instructions);
    line_files_free(&layout.files);
    line_rows_free(&layout.lines);
    return result;
}
