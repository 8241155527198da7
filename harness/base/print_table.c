#include "base/print_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/message.h"

/* ---- cells ----------------------------------------------------------------------------------- */

static int is_text(const struct print_column *column)
{
    return column->kind == PRINT_TEXT || column->kind == PRINT_RIGHT || column->kind == PRINT_JSON;
}

static void add(struct print_table *table, struct print_cell cell)
{
    if (!ARRAY_GROWS(table->cell, table->count)) {
        table->failed = 1;
        free(cell.text);
        return;
    }
    table->cell[table->count++] = cell;
}

void print_table_text(struct print_table *table, const char *value)
{
    struct print_cell cell = {value ? strdup(value) : NULL, NAN};
    if (value && !cell.text) table->failed = 1;
    add(table, cell);
}

void print_table_number(struct print_table *table, double value)
{
    add(table, (struct print_cell){NULL, value});
}

void print_table_cell(struct print_table *table, const char *value)
{
    if (is_text(&table->column[table->count % (size_t)table->columns]))
        print_table_text(table, value);
    else
        print_table_number(table, value ? strtod(value, NULL) : NAN);
}

void print_table_free(struct print_table *table)
{
    for (size_t i = 0; i < table->count; i++) free(table->cell[i].text);
    free(table->cell);
    table->cell = NULL;
    table->count = 0;
}

static size_t row_count(const struct print_table *table)
{
    return table->count / (size_t)table->columns;
}

static const struct print_cell *cell_at(const struct print_table *table, size_t row, int column)
{
    return &table->cell[row * (size_t)table->columns + (size_t)column];
}

/* ---- the screen ------------------------------------------------------------------------------ */

enum { GAP = 2, INDENT = 4, ENOUGH = 30 };

struct layout {
    const struct print_table *table;
    const struct terminal *screen;
    struct text *page;
    int width[PRINT_COLUMNS]; /* of the cells of the row; 0: not shown there */
    int indent;               /* of rows, which are set off from the heads of groups */
    int words;                /* the column, or -1 */
    int is_beside; /* 1: its words stand behind the cells; 0: above them, or if is_below, below */
    int is_below;
    int cells;                              /* columns that cells take, with the gap behind each */
    struct text_times times[PRINT_COLUMNS]; /* of columns with times */
};

static int is_time(const struct print_column *column)
{
    return column->kind >= PRINT_TIME && column->kind <= PRINT_SAVED;
}

/* Columns of times that stand side by side share a unit, but for one that is apart. */
static void measure_times(struct layout *layout)
{
    const struct print_table *table = layout->table;
    double widest = 0;
    for (int c = 0, first = 0; c < table->columns; c++) {
        struct text_times *times = &layout->times[c];
        if (!is_time(&table->column[c])) {
            first = c + 1;
            continue;
        }
        if (c == first || table->column[c].is_apart) first = c, widest = 0;
        times->are_saved = table->column[c].kind == PRINT_SAVED;
        times->are_parts = table->column[c].kind != PRINT_TIME;
        for (size_t row = 0; row < row_count(table); row++)
            text_times_add(times, cell_at(table, row, c)->number);
        widest = fmax(widest, times->largest);
        for (int i = first; i <= c; i++) layout->times[i].widest = widest;
        text_times_beside(times, table->above_ns);
    }
}

/* Appends a number with so many digits; never "-0". */
static void append_number(struct text *text, double value, int digits)
{
    char buffer[64];
    snprintf(buffer, sizeof buffer, "%.*f", digits, value);
    const int is_zero = strspn(buffer, "-0.") == strlen(buffer);
    text_append(text, *buffer == '-' && is_zero ? buffer + 1 : buffer);
}

static void append_value(struct text *text, const struct layout *layout, size_t row, int c)
{
    const struct print_column *column = &layout->table->column[c];
    const struct print_cell *cell = cell_at(layout->table, row, c);
    char buffer[32];
    if (is_text(column)) {
        terminal_append(text,
                        cell->text                    ? cell->text
                        : column->kind == PRINT_RIGHT ? "-"
                                                      : "",
                        TERMINAL_WHOLE);
    } else if (!isfinite(cell->number)) {
        text_append(text, "-");
    } else if (column->kind == PRINT_FLAG) {
        text_append(text, cell->number != 0 ? "yes" : "no");
    } else if (is_time(column)) {
        text_append_time(text, &layout->times[c], cell->number);
        terminal_blanks(text, text_time_blanks(&layout->times[c], cell->number));
    } else if (column->digits == PRINT_ALL) {
        text_append(text, csv_format_number(buffer, cell->number));
    } else {
        append_number(text, cell->number, column->digits);
    }
}

/* Appends the head of a column or, from 0 on, its cell in a row. */
static void append_cell(struct text *text, const struct layout *layout, long row, int c)
{
    if (row >= 0)
        append_value(text, layout, (size_t)row, c);
    else
        text_append(text, layout->table->column[c].head);
    if (row < 0 && layout->times[c].widest > 0)
        text_format(text, ", %s", text_times_unit(&layout->times[c]));
}

static int widest_word(const char *words)
{
    int most = 0;
    for (; *words; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        struct text word = {0};
        text_append_bytes(&word, words, length);
        const int width = terminal_width(text_string(&word));
        if (width > most) most = width;
        text_free(&word);
        words += length;
    }
    return most;
}

/* Returns the width of the widest cell of a column, the head included, or of its widest word. */
static int widest(const struct layout *layout, int c, int of_words)
{
    int most = 0;
    for (long row = -1; row < (long)row_count(layout->table); row++) {
        struct text text = {0};
        append_cell(&text, layout, row, c);
        const int width =
            of_words ? widest_word(text_string(&text)) : terminal_width(text_string(&text));
        if (width > most) most = width;
        text_free_piece(&text, layout->page);
    }
    return most;
}

static int has_values(const struct print_table *table, int c)
{
    for (size_t row = 0; row < row_count(table); row++) {
        const struct print_cell *cell = cell_at(table, row, c);
        if (is_text(&table->column[c]) ? cell->text && *cell->text : isfinite(cell->number))
            return 1;
    }
    return 0;
}

/* Gives the cells the room that they need, from the left; those that do not fit are not shown. */
static void place_cells(struct layout *layout, int room)
{
    int is_full = 0;
    layout->cells = 0;
    for (int c = 0; c < layout->table->columns; c++) {
        const struct print_column *column = &layout->table->column[c];
        if (column->place != PRINT_CELL || !column->head || !has_values(layout->table, c)) continue;
        int width = is_full ? 0 : widest(layout, c, 0);
        if (!layout->cells && width > room) width = room;
        is_full |= layout->cells + width > room;
        layout->width[c] = is_full ? 0 : width;
        layout->cells += is_full ? 0 : width + GAP;
    }
}

/* Words stand beside the cells if none needs more room, or if there is enough. */
static void lay_out(struct layout *layout)
{
    layout->words = -1;
    for (int c = 0; c < layout->table->columns; c++) {
        const struct print_column *column = &layout->table->column[c];
        if (column->place == PRINT_GROUP) layout->indent = GAP;
        if (column->place >= PRINT_WORDS && column->place <= PRINT_PATHS) layout->words = c;
    }
    const int room = layout->screen->columns - layout->indent;
    place_cells(layout, room);
    if (layout->words < 0) return;
    const int rest = room - layout->cells;
    const int are_paths = layout->table->column[layout->words].place == PRINT_PATHS;
    const int enough = are_paths ? ENOUGH : layout->screen->columns / 2;
    layout->is_beside = rest >= widest(layout, layout->words, 0) ||
                        (rest >= enough && (are_paths || rest >= widest(layout, layout->words, 1)));
    layout->is_below =
        !layout->is_beside && layout->table->column[layout->words].place == PRINT_REMARK;
    if (!layout->is_beside && !layout->is_below) place_cells(layout, room - INDENT);
}

/* Appends the cells of a row to `line`: texts to the left, numbers to the right, and a gap behind
 * each. */
static void append_cells(struct text *line, const struct layout *layout, long row)
{
    for (int c = 0; c < layout->table->columns; c++) {
        const int width = layout->width[c], is_left = layout->table->column[c].kind == PRINT_TEXT;
        struct text cell = {0};
        if (!width) continue;
        append_cell(&cell, layout, row, c);
        const int blanks = width - terminal_width(text_string(&cell));
        if (!is_left) terminal_blanks(line, blanks);
        terminal_append(line, text_string(&cell), width);
        terminal_blanks(line, GAP + (is_left ? blanks : 0));
        text_free_piece(&cell, line);
    }
}

/* Appends a line without the blanks at its end, unless it has nothing but absent numbers. */
static void append_line(struct layout *layout, enum terminal_style style, const char *line)
{
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ') length--;
    if (strspn(line, " -") == strlen(line)) return;
    if (style != STYLE_PLAIN) terminal_style(layout->page, layout->screen, style);
    text_append_bytes(layout->page, line, length);
    if (style != STYLE_PLAIN) terminal_style(layout->page, layout->screen, STYLE_PLAIN);
    text_append(layout->page, "\n");
}

/* Appends words behind `label`. If they are paths, the screen is as wide as the longest needs. */
static void append_words(struct layout *layout, enum terminal_style style, int indent,
                         const char *label, const char *words)
{
    const int are_paths = layout->table->column[layout->words].place == PRINT_PATHS;
    struct terminal screen = *layout->screen;
    for (const char *word = words; are_paths && *word; word += strspn(word, " ")) {
        const int needed = indent + (int)strcspn(word, " ");
        if (needed > screen.columns) screen.columns = needed;
        word += strcspn(word, " ");
    }
    terminal_paragraph(layout->page, &screen, style, indent, label, words);
}

static void append_row(struct layout *layout, enum terminal_style style, long row)
{
    struct text line = {0}, words = {0};
    if (layout->words >= 0) append_cell(&words, layout, row, layout->words);
    const int is_beside = layout->is_beside && words.length;
    terminal_blanks(&line, layout->indent);
    if (layout->words >= 0 && !layout->is_beside && !layout->is_below) {
        if (row >= 0) append_words(layout, style, layout->indent, "", text_string(&words));
        terminal_blanks(&line, INDENT);
    }
    append_cells(&line, layout, row);
    if (is_beside)
        append_words(layout, style, layout->indent + layout->cells, text_string(&line),
                     text_string(&words));
    else
        append_line(layout, style, text_string(&line));
    if (layout->is_below && row >= 0 && words.length)
        append_words(layout, style, layout->indent + INDENT, "", text_string(&words));
    text_free_piece(&line, layout->page);
    text_free_piece(&words, layout->page);
}

/* Below the words if these stand beside the cells and leave room, else a little to the right. */
static void append_notes(struct layout *layout, long row)
{
    const int beside = layout->indent + layout->cells, columns = layout->screen->columns;
    const int indent =
        layout->is_beside && columns - beside >= columns / 2 ? beside : layout->indent + INDENT;
    for (int c = 0; c < layout->table->columns; c++) {
        const enum print_place place = layout->table->column[c].place;
        const enum terminal_style style = place == PRINT_FAINT ? STYLE_FAINT : STYLE_PLAIN;
        struct text note = {0}, line = {0};
        if (place < PRINT_NOTE || !layout->table->column[c].head) continue;
        append_cell(&note, layout, row, c);
        terminal_blanks(&line, indent + GAP);
        terminal_append(&line, text_string(&note), columns - indent - GAP);
        if (place == PRINT_CODE)
            append_line(layout, style, text_string(&line));
        else if (note.length)
            terminal_paragraph(layout->page, layout->screen, style, indent, "", text_string(&note));
        text_free_piece(&note, layout->page);
        text_free_piece(&line, layout->page);
    }
}

/* Appends what the rows from here on have in common. */
static void append_group(struct layout *layout, long row)
{
    for (int c = 0; c < layout->table->columns; c++) {
        struct text words = {0}, before = {0};
        if (layout->table->column[c].place != PRINT_GROUP) continue;
        append_cell(&words, layout, row, c);
        if (row) append_cell(&before, layout, row - 1, c);
        if (row && strcmp(text_string(&words), text_string(&before)))
            text_append(layout->page, "\n");
        if (!row || strcmp(text_string(&words), text_string(&before)))
            terminal_paragraph(layout->page, layout->screen, STYLE_HEADING, 0, "",
                               text_string(&words));
        text_free_piece(&words, layout->page);
        text_free_piece(&before, layout->page);
    }
}

static enum terminal_style style_of(const struct print_table *table, size_t row)
{
    for (int c = 0; c < table->columns; c++) {
        const char *text = cell_at(table, row, c)->text;
        if (table->column[c].style && text) return table->column[c].style(text);
    }
    return STYLE_PLAIN;
}

void print_table_append(struct text *page, const struct print_table *table,
                        const struct terminal *screen)
{
    struct layout layout = {.table = table, .screen = screen, .page = page};
    const long rows = (long)row_count(table);
    if (table->failed) page->failed = 1;
    if (!rows || page->failed) return;
    measure_times(&layout);
    lay_out(&layout);
    append_row(&layout, STYLE_HEADING, -1);
    for (long row = 0; row < rows; row++) {
        append_group(&layout, row);
        append_row(&layout, style_of(table, (size_t)row), row);
        append_notes(&layout, row);
    }
}

int page_print(FILE *file, struct text *page, int result)
{
    if (!result && page->failed) result = error_memory();
    if (!result) fputs(text_string(page), file);
    text_free(page);
    return result;
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

static int is_in_csv(const struct print_column *column)
{
    return !column->is_shown_only && column->kind != PRINT_JSON;
}

int print_csv_text(struct csv_writer *writer, const char *value, int is_terminal)
{
    struct text shown = {0};
    if (is_terminal && value) terminal_append(&shown, value, TERMINAL_WHOLE);
    csv_text(writer, is_terminal && value ? text_string(&shown) : value);
    const int failed = shown.failed;
    text_free(&shown);
    return failed ? error_memory() : 0;
}

int print_table_csv(const struct print_table *table, FILE *file)
{
    struct csv_writer writer = {.file = file};
    const int is_terminal = isatty(fileno(file));
    int result = 0;
    if (table->failed) return error_memory();
    for (int c = 0; c < table->columns; c++)
        if (is_in_csv(&table->column[c])) csv_text(&writer, table->column[c].name);
    csv_end(&writer);
    for (size_t row = 0; row < row_count(table) && !result; row++) {
        for (int c = 0; c < table->columns && !result; c++) {
            if (!is_in_csv(&table->column[c])) continue;
            if (is_text(&table->column[c]))
                result = print_csv_text(&writer, cell_at(table, row, c)->text, is_terminal);
            else
                csv_number(&writer, cell_at(table, row, c)->number);
        }
        csv_end(&writer);
    }
    return result;
}

static void write_member(struct json_writer *writer, const struct print_column *column,
                         const struct print_cell *cell)
{
    if (column->kind == PRINT_JSON)
        json_value(writer, column->name, cell->text);
    else if (is_text(column))
        json_text(writer, column->name, cell->text);
    else if (column->kind == PRINT_FLAG && isfinite(cell->number))
        json_flag(writer, column->name, cell->number != 0);
    else
        json_number(writer, column->name, cell->number);
}

void print_table_rows(struct json_writer *writer, const struct print_table *table)
{
    json_open(writer, table->name, '[');
    for (size_t row = 0; row < row_count(table); row++) {
        json_open(writer, NULL, '{');
        for (int c = 0; c < table->columns; c++)
            if (!table->column[c].is_shown_only)
                write_member(writer, &table->column[c], cell_at(table, row, c));
        json_close(writer, '}');
    }
    json_close(writer, ']');
}

int print_table_print(const struct print_table *table, enum print_form form, const char *schema,
                      FILE *file)
{
    struct json_writer writer;
    if (form == PRINT_SCREEN) {
        const struct terminal screen = terminal_of_stdout();
        struct text page = {0};
        print_table_append(&page, table, &screen);
        return page_print(file, &page, 0);
    }
    if (form == PRINT_AS_CSV) return print_table_csv(table, file);
    if (table->failed) return error_memory();
    json_begin(&writer, file, schema);
    print_table_rows(&writer, table);
    json_end(&writer);
    return 0;
}
