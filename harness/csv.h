/*
 * The one dialect of CSV: RFC 4180, UTF-8, a header of bare identifiers, numbers as %.9g in the C locale (whole numbers in full), an empty cell
 * for what is absent. Cells are written as they are, so that they read the same again, also those that a spreadsheet would take for a formula (with =, +, -
 * or @ in front): a stranger's run is imported there as text. A csv_reader owns its text and its cells; a csv_writer owns nothing, the FILE stays the caller's.
 */
#ifndef WHYFAST_CSV_H
#define WHYFAST_CSV_H

#include <stdint.h>
#include <stdio.h>

struct csv_reader {
    const char *path;    /* for messages; the caller's */
    char *text;          /* the whole file; cells point into it */
    char *next;
    int line;            /* line on which the current record began, from 1 */
    int next_line;
    int count;           /* cells of the current record */
    int capacity;
    char **cell;
};

/* Reads the file. 0, or FAIL_INPUT when it cannot be read or holds a NUL byte. */
int csv_open(struct csv_reader *reader, const char *path);

/* Next record into cell[0..count): 1, or 0 at the end, or FAIL_INPUT with file:line for a damaged quote. */
int csv_next(struct csv_reader *reader);
void csv_close(struct csv_reader *reader);

struct csv_writer {
    FILE *file;
    int cells;           /* written of the current record */
};

void csv_text(struct csv_writer *writer, const char *value);   /* NULL: an empty cell */
void csv_number(struct csv_writer *writer, double value);      /* not finite: an empty cell */
void csv_integer(struct csv_writer *writer, int64_t value);
void csv_end(struct csv_writer *writer);

/* A number as the dialect writes it, into buffer[32]; "" when it is not finite. Returns buffer. */
char *csv_format_number(char buffer[32], double value);

#endif
