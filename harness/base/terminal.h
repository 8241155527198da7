/*
 * Lays out text for a terminal: measures and cuts it, and removes control sequences. Nothing is
 * owned.
 *
 * Widths are in columns: a letter takes one, a wide character of East Asia two, a combining mark
 * none, by the blocks of Unicode.
 */
#ifndef WHYFAST_TERMINAL_H
#define WHYFAST_TERMINAL_H

#include "base/text.h"

struct terminal {
    int columns; /* of a line */
    int colour;  /* 1: colours are wanted */
};

/* The least columns of a layout, and those of a stdout that is no terminal. */
enum { SCREEN_LEAST = 40, SCREEN_PIPED = 100 };

/* Describes stdout: columns by the variable COLUMNS, else by the terminal, else SCREEN_PIPED;
 * colour on a terminal unless NO_COLOR is set or TERM is dumb. */
struct terminal terminal_of_stdout(void);

/* Appends `string`, cut between characters to `columns` with an ellipsis. Tabs become blanks up to
 * the next multiple of eight; harmful characters (text_is_harmful) and bytes that are no UTF-8
 * become U+FFFD. Returns its width. */
int terminal_append(struct text *text, const char *string, int columns);

/* Appends blanks, none for a count below 1. */
void terminal_blanks(struct text *text, int count);

/* Returns the width of a line that was made here, without its colours. */
int terminal_width(const char *line);

enum terminal_style { STYLE_PLAIN, STYLE_HEADING, STYLE_FAINT, STYLE_GOOD, STYLE_WARM, STYLE_HOT };

/* Begins a style, or ends it (STYLE_PLAIN), if the terminal has colours. */
void terminal_style(struct text *text, const struct terminal *screen, enum terminal_style style);

/* Appends words as lines in a style, broken between words and indented; the first line begins with
 * the label. */
void terminal_paragraph(struct text *text, const struct terminal *screen, enum terminal_style style,
                        int indent, const char *label, const char *words);

#endif
