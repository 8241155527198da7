#include "base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TAB = 8 };

/* ---- the terminal ---------------------------------------------------------------------------- */

int terminal_columns(int file)
{
    struct winsize size;
    const char *told = getenv("COLUMNS");
    char *end;
    const long columns = told && *told ? strtol(told, &end, 10) : 0;
    if (columns > 0 && columns < 10000 && !*end) return (int)columns;
    return isatty(file) && !ioctl(file, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

struct terminal terminal_of_stdout(void)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    const int columns = terminal_columns(STDOUT_FILENO);
    return (struct terminal){
        .columns = !columns                 ? SCREEN_PIPED
                   : columns < SCREEN_LEAST ? SCREEN_LEAST
                                            : columns,
        .colour =
            isatty(STDOUT_FILENO) && !(refused && *refused) && terminal && strcmp(terminal, "dumb"),
    };
}

void terminal_style(struct text *text, const struct terminal *screen, enum terminal_style style)
{
    static const char *const sequences[] = {
        [STYLE_PLAIN] = "\033[0m", [STYLE_HEADING] = "\033[1m", [STYLE_FAINT] = "\033[2m",
        [STYLE_GOOD] = "\033[32m", [STYLE_WARM] = "\033[33m",   [STYLE_HOT] = "\033[1;31m"};
    if (screen->colour) text_append(text, sequences[style]);
}

/* ---- characters ------------------------------------------------------------------------------ */

static int character_width(uint32_t character)
{
    static const struct text_block marks[] = {{0x300, 0x36F},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                              {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
    static const struct text_block wide[] = {
        {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6},
        {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    if (character < 0x300) return 1;
    if (text_is_in(character, marks, sizeof marks / sizeof *marks)) return 0;
    return 1 + text_is_in(character, wide, sizeof wide / sizeof *wide);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int width_at(uint32_t character, int column)
{
    if (character == '\t') return TAB - column % TAB;
    return text_is_harmful(character) ? 1 : character_width(character);
}

static int whole_width(const char *string)
{
    int column = 0;
    while (*string && column < TERMINAL_WHOLE) column += width_at(text_character(&string), column);
    return column;
}

int terminal_append(struct text *text, const char *string, int columns)
{
    const int fits = whole_width(string) <= columns, limit = fits ? columns : columns - 1;
    int column = 0;
    if (columns < 1) return 0;
    while (*string) {
        const char *start = string;
        const uint32_t character = text_character(&string);
        const int width = width_at(character, column);
        if (column + width > limit) break;
        column += width;
        if (character == '\t')
            terminal_blanks(text, width);
        else if (text_is_harmful(character) || character == TEXT_REPLACEMENT)
            text_append(text, TEXT_REPLACED);
        else
            text_append_bytes(text, start, (size_t)(string - start));
    }
    if (fits) return column;
    text_append(text, "\xE2\x80\xA6");
    return column + 1;
}

void terminal_blanks(struct text *text, int count)
{
    for (int i = 0; i < count; i++) text_append_bytes(text, " ", 1);
}

/* Begins a line of a paragraph. Returns the column after the indentation. */
static int begin_line(struct text *text, const struct terminal *screen, enum terminal_style style,
                      int indent, const char *label)
{
    if (style != STYLE_PLAIN) terminal_style(text, screen, style);
    const int column = terminal_append(text, label, screen->columns);
    terminal_blanks(text, indent - column);
    return column > indent ? column : indent;
}

static void end_line(struct text *text, const struct terminal *screen, enum terminal_style style)
{
    if (style != STYLE_PLAIN) terminal_style(text, screen, STYLE_PLAIN);
    text_append(text, "\n");
}

static const char *called = "whyfast";

void program_name_set(const char *name)
{
    if (name && *name && strncmp(name, "/proc/", 6) != 0) called = name;
}

const char *program_name(void)
{
    return called;
}

char *program_hints(const char *words)
{
    static const char command[] = "'whyfast ";
    struct text hints = {0};
    for (const char *at; (at = strstr(words, command)); words = at + sizeof command - 1)
        text_format(&hints, "%.*s'%s ", (int)(at - words), words, called);
    text_append(&hints, words);
    return text_taken(&hints);
}

/* Whether a command of this program in quotation marks begins here. */
static int is_command(const char *words)
{
    const size_t length = strlen(called);
    return *words == '\'' && !strncmp(words + 1, called, length) && words[length + 1] == ' ';
}

size_t terminal_word(const char *words)
{
    static const char *const units[] = {"%", "ns", "us", "\xC2\xB5s", "ms", "s"};
    const char *end = is_command(words) ? strchr(words + 1, '\'') : NULL;
    if (end) return (size_t)(end - words) + strcspn(end, " ");
    const size_t length = strcspn(words, " ");
    if (words[length] != ' ') return length;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const char *after = words + length + 1;
        const size_t unit = strlen(units[i]);
        if (!strncmp(after, units[i], unit) && (!after[unit] || strchr(" ,;.:)", after[unit])))
            return length + 1 + strcspn(after, " ");
    }
    return length;
}

void terminal_paragraph(struct text *text, const struct terminal *screen, enum terminal_style style,
                        int indent, const char *label, const char *words)
{
    int column = begin_line(text, screen, style, indent, label), is_first = 1;
    char *hints = program_hints(words);
    if (!hints) text->failed = 1;
    words = hints ? hints : "";
    for (size_t length; words += strspn(words, " "), (length = terminal_word(words)) > 0;
         words += length) {
        char *word = strndup(words, length);
        if (!word) {
            text->failed = 1;
            break;
        }
        if (!is_first && column + 1 + whole_width(word) > screen->columns) {
            end_line(text, screen, style);
            column = begin_line(text, screen, style, indent, "");
            is_first = 1;
        }
        if (!is_first) text_append(text, " ");
        const int room =
            is_command(word) ? whole_width(word) : screen->columns - column - !is_first;
        column += !is_first + terminal_append(text, word, room);
        is_first = 0;
        free(word);
    }
    free(hints);
    end_line(text, screen, style);
}

void terminal_line(struct text *text, const char *format, ...)
{
    struct text line = {0};
    va_list arguments;
    va_start(arguments, format);
    text_format_list(&line, format, arguments);
    va_end(arguments);
    for (char *rest = line.data, *at; (at = strsep(&rest, "\n")) && (rest || *at);) {
        terminal_append(text, at, TERMINAL_WHOLE);
        text_append(text, "\n");
    }
    text_free_piece(&line, text);
}

int terminal_width(const char *line)
{
    int column = 0;
    while (*line) {
        if (*line == '\033') {
            line += strcspn(line, "m");
            line += *line == 'm';
        } else {
            column += character_width(text_character(&line));
        }
    }
    return column;
}
