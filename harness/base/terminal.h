/*
 * Lays out text for a terminal: measures and cuts it, and removes control sequences. Nothing is
 * owned.
 *
 * Widths are in columns: a letter takes one, a wide East Asian character two, a combining mark
 * none, according to the blocks of Unicode.
 */
#ifndef WHYFAST_TERMINAL_H
#define WHYFAST_TERMINAL_H

#include "base/text.h"

struct terminal {
    int columns; /* of a line */
    int colour;  /* 1: colours are wanted */
};

/* The minimum width of a layout, and the width if stdout is not a terminal. */
enum { SCREEN_LEAST = 40, SCREEN_PIPED = 100 };

/* Returns the number of columns of a file: that of the variable COLUMNS, else the terminal's, else
 * 0. */
int terminal_columns(int file);

/* Describes stdout. Without a number of columns it is SCREEN_PIPED. Colours are used on a terminal
 * unless NO_COLOR is set or TERM is dumb.
 */
struct terminal terminal_of_stdout(void);

/* Sets how the user called the program, unless that is a path under /proc, by which it starts
 * itself. */
void program_name_set(const char *called);
/* Returns the program's name as the user called it, or "whyfast". */
const char *program_name(void);
/* Returns a copy of `words`, which the caller frees, in which each command in quotes, such as
 * 'whyfast list', begins with program_name(), or NULL if memory is short. */
char *program_hints(const char *words);

enum { TERMINAL_WHOLE = 1 << 20 }; /* more columns than a line has */

/* Appends `string`, truncated to `columns` with an ellipsis. Tabs become blanks up to the next
 * multiple of eight; harmful characters (text_is_harmful) and bytes that are not UTF-8 become
 * U+FFFD. Returns the width. */
int terminal_append(struct text *text, const char *string, int columns);

void terminal_blanks(struct text *text, int count);

/* Appends a line, or several, that are neither wrapped nor cut. */
void terminal_line(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the width of a line made by this module, not counting escape sequences. */
int terminal_width(const char *line);

enum terminal_style { STYLE_PLAIN, STYLE_HEADING, STYLE_FAINT, STYLE_GOOD, STYLE_WARM, STYLE_HOT };

/* Begins a style, or ends it (STYLE_PLAIN), if the terminal has colours. */
void terminal_style(struct text *text, const struct terminal *screen, enum terminal_style style);

/* Returns how many bytes begin these words that no line parts: a word with the unit behind it, or a
 * command of this program in quotation marks. 0: a blank comes first, or the end. */
size_t terminal_word(const char *words);

/* Appends `words` in a style, wrapped into indented lines; the first line begins with the label.
 * Words that are too long for a line are cut, but not commands (terminal_word). */
void terminal_paragraph(struct text *text, const struct terminal *screen, enum terminal_style style,
                        int indent, const char *label, const char *words);

#endif
