/*
 * The one dialect of CSV: RFC 4180, UTF-8, a header of bare identifiers, numbers as %.9g in the C
 * locale (whole numbers in full), an empty cell for what is absent. Cells are written as they are,
 * so that they read the same again, also those that a spreadsheet would take for a formula (with =,
 * +, - or @ in front): a stranger's run is imported there as text. A csv_reader owns its file, its
 * text and its cells; a csv_writer owns nothing, the FILE stays the caller's.
 *
 * A file is read piece by piece, so that a large one takes no more memory than its longest record:
 * cells are good until the next record.
 */
#ifndef WHYFAST_CSV_H
#define WHYFAST_CSV_H

#include <stdint.h>
#include <stdio.h>

struct csv_reader {
    const char *path; /* for messages; the caller's */
    FILE *file;
    char *text;          /* what is read of the file, and a NUL; cells point into it */
    size_t length, size; /* bytes of the text; room for them */
    char *next;
    int at_end; /* the text holds the rest of the file */
    int line;   /* line on which the current record began, from 1 */
    int next_line;
    int count; /* cells of the current record */
    int capacity;
    char **cell;
};

/* Opens the file and reads its first piece. 0, or FAIL_INPUT when it cannot be read or holds a
 * NUL byte there. */
int csv_open(struct csv_reader *reader, const char *path);

/* Next record into cell[0..count): 1, or 0 at the end, or FAIL_INPUT with file:line for a
 * damaged quote, for a NUL byte or where reading fails. */
int csv_next(struct csv_reader *reader);
void csv_close(struct csv_reader *reader);

struct csv_writer {
    FILE *file;
    int cells; /* written of the current record */
};

void csv_text(struct csv_writer *writer, const char *value); /* NULL: an empty cell */
void csv_number(struct csv_writer *writer, double value);    /* not finite: an empty cell */
void csv_integer(struct csv_writer *writer, int64_t value);
void csv_end(struct csv_writer *writer);

/* Several cells of one kind: CSV_TEXTS(writer, "a", "b"). */
void csv_texts(struct csv_writer *writer, int count, const char *const *value);
void csv_numbers(struct csv_writer *writer, int count, const double *value);
void csv_integers(struct csv_writer *writer, int count, const int64_t *value);
#define CSV_CELLS(function, type, writer, ...)                                                     \
    function(writer, (int)(sizeof((type[]){__VA_ARGS__}) / sizeof(type)), (type[]){__VA_ARGS__})
#define CSV_TEXTS(writer, ...) CSV_CELLS(csv_texts, const char *const, writer, __VA_ARGS__)
#define CSV_NUMBERS(writer, ...) CSV_CELLS(csv_numbers, const double, writer, __VA_ARGS__)
#define CSV_INTEGERS(writer, ...) CSV_CELLS(csv_integers, const int64_t, writer, __VA_ARGS__)

/* A number as the dialect writes it, into buffer[32]; "" when it is not finite. Returns buffer. */
char *csv_format_number(char buffer[32], double value);

/* The number that a cell is, as strtod reads it: 1, or 0 for anything else, for "nan", "inf" and
 * hexadecimal digits, too. */
int csv_parse_number(const char *cell, double *value);

#endif
