/*
 * Prints the tables of all commands: on the screen, as CSV, or as rows of JSON (base/json.h). A
 * table is described once by its columns; its cells come from C or from a statement
 * (query_print_rows). A struct print_table owns its cells until print_table_free.
 *
 * On the screen words are wrapped, columns without a value in any row are left out, and from the
 * right those that do not fit; harmful characters (text_is_harmful) become U+FFFD.
 *
 * Why not libsmartcols of util-linux: Debian has no static archive of it, and this program runs on
 * machines that lack Debian's libraries; and it measures text in the locale, which is "C" in bare
 * containers: there it prints a micro sign as \xc2\xb5.
 */
#ifndef WHYFAST_PRINT_TABLE_H
#define WHYFAST_PRINT_TABLE_H

#include "base/json.h"
#include "base/terminal.h"
#include "base/text.h"

enum print_kind {
    PRINT_TEXT,   /* to the left */
    PRINT_RIGHT,  /* a text to the right: a number in words */
    PRINT_NUMBER, /* with `digits` behind the point, or all of them (PRINT_ALL) */
    PRINT_TIME,   /* ns; on the screen in the unit of the column (struct text_times) */
    PRINT_PART,   /* ns; the same, of parts of one time or change */
    PRINT_SAVED,  /* ns; the same, with the sign of what was saved or lost */
    PRINT_FLAG,   /* 0 or 1; in JSON false or true */
    PRINT_JSON    /* JSON made by SQLite, only for JSON */
};
enum { PRINT_ALL = -1 };

enum print_place {
    PRINT_CELL,
    PRINT_WORDS,  /* the last column, wrapped; above the others if they leave it less than it needs
                     and less than half of the screen, or if a word would be cut. A table has one
                     of these three at most */
    PRINT_REMARK, /* the same, but below instead of above */
    PRINT_PATHS,  /* as PRINT_WORDS, but content with 30 columns, and a long word is not cut */
    PRINT_GROUP,  /* above the rows that have it in common */
    PRINT_NOTE,   /* below the row, wrapped; an absent or empty one takes no line */
    PRINT_FAINT,  /* the same, less prominent */
    PRINT_CODE    /* a line below the row, cut */
};

/* Where a column is shown: everywhere, unless `head` is NULL (CSV and JSON only) or `is_shown_only`
 * is set (screen only). */
struct print_column {
    const char *name; /* in CSV and JSON, with the unit; the name in a statement */
    const char *head; /* on the screen, with the unit, which is added to times */
    enum print_kind kind;
    enum print_place place;
    int digits;
    int is_shown_only;
    int is_apart; /* of times: does not share its unit with the column to the left */
    enum terminal_style (*style)(const char *cell); /* of the row, by this text; or NULL */
};

struct print_cell {
    char *text;    /* of a text, else NULL; NULL also if it is absent */
    double number; /* of another kind; NAN if it is absent */
};

enum { PRINT_COLUMNS = 40 };

/* {.name = ..., PRINT_COLUMNS_OF(columns)} is an empty table. */
struct print_table {
    const char *name; /* of the array in JSON */
    const struct print_column *column;
    int columns;
    struct print_cell *cell;
    size_t count;    /* of cells, row by row */
    double above_ns; /* a time in the words above, whose unit the times have if they can; or 0 */
    int failed;      /* 1: memory was short; checked when the table is printed */
};
#define PRINT_COLUMNS_OF(array) .column = (array), .columns = sizeof(array) / sizeof *(array)

void print_table_text(struct print_table *table, const char *value);
void print_table_number(struct print_table *table, double value);

/* Adds the next cell from a text, as its column wants it. */
void print_table_cell(struct print_table *table, const char *value);
void print_table_free(struct print_table *table);

/* Appends the table for a screen; nothing if it has no rows. */
void print_table_append(struct text *page, const struct print_table *table,
                        const struct terminal *screen);

/* Writes a page, unless `result` is a failure or memory was short, and frees it. Returns the
 * failure. */
int page_print(FILE *file, struct text *page, int result);

/* Writes the text of a cell of CSV. On a terminal, harmful characters become U+FFFD. */
struct csv_writer;
int print_csv_text(struct csv_writer *writer, const char *value, int is_terminal);
int print_table_csv(const struct print_table *table, FILE *file);

/* Writes an array of objects. */
void print_table_rows(struct json_writer *writer, const struct print_table *table);

/* Prints a table that is all that a command has to say: for the screen of stdout, as CSV, or as an
 * object of JSON. Returns FAIL_OUTPUT, with a message, if memory was short. */
enum print_form { PRINT_SCREEN, PRINT_AS_CSV, PRINT_AS_JSON };
int print_table_print(const struct print_table *table, enum print_form form, const char *schema,
                      FILE *file);

#endif
