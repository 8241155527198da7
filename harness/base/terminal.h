/*
 * What a terminal shows of a text: how wide it is, where it is cut, and that nothing in it gives
 * orders to the terminal. Nothing is owned.
 *
 * A column is what a letter takes: two for the wide characters of East Asia, none for marks on top
 * of another, by the blocks of Unicode that have them.
 */
#ifndef WHYFAST_TERMINAL_H
#define WHYFAST_TERMINAL_H

#include "base/text.h"

struct terminal {
    int columns; /* that a line may take */
    int colour;  /* 1: escape sequences for colours are understood and wanted */
};

/* The least columns that are laid out for, and those of a stdout that is no terminal. */
enum { SCREEN_LEAST = 40, SCREEN_PIPED = 100 };

/* Of stdout: columns by the variable COLUMNS, else by the terminal, else SCREEN_PIPED; colour on
 * a terminal, unless NO_COLOR is set or TERM is dumb. */
struct terminal terminal_of_stdout(void);

/* Appends `string`, no wider than `columns`: what does not fit is cut between characters and
 * ends in an ellipsis. Tabs become blanks up to the next multiple of eight; control characters,
 * invisible ones that turn the direction of writing, and bytes that are no UTF-8 become U+FFFD.
 * Returns the columns that it takes. */
int terminal_append(struct text *text, const char *string, int columns);

/* Appends blanks; none for a count below 1. */
void terminal_blanks(struct text *text, int count);

/* Columns of a line that was made here; colours take none. */
int terminal_width(const char *line);

enum terminal_style { STYLE_PLAIN, STYLE_HEADING, STYLE_FAINT, STYLE_GOOD, STYLE_WARM, STYLE_HOT };

/* Begins a style, or ends it (STYLE_PLAIN), where the screen has colours. */
void terminal_style(struct text *text, const struct terminal *screen, enum terminal_style style);

/* Appends words as lines in a style, each broken between words and after `indent` blanks; the
 * first begins with the label in their place. */
void terminal_paragraph(struct text *text, const struct terminal *screen, enum terminal_style style,
                        int indent, const char *label, const char *words);

#endif
