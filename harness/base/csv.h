/*
 * Reads and writes CSV in one dialect: RFC 4180, UTF-8, a header of bare identifiers, numbers as
 * %.9g in the C locale (whole numbers in full), an empty cell for an absent value. Cells are not
 * escaped for spreadsheets: import an untrusted run as text, because a cell may begin with =, +, -
 * or @. A struct csv_reader owns its file and its cells, which are valid until the next
 * record; a struct csv_writer owns nothing.
 */
#ifndef WHYFAST_CSV_H
#define WHYFAST_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

struct csv_reader {
    const char *path; /* for messages; the caller's */
    FILE *file;
    char *text; /* line of the file */
    size_t size;
    struct text record; /* lines of the record, into which cells point */
    int line;           /* line on which the record began, from 1 */
    int next_line;
    int count; /* cells of the record */
    int capacity;
    char **cell;
};

/* Opens the file. Returns 0, or FAIL_INPUT if it cannot be opened. */
int csv_open(struct csv_reader *reader, const char *path);

/* Reads the next record into cell[0..count). Returns 1, 0 at the end, or FAIL_INPUT with file:line
 * for a damaged quote, a NUL byte or a failed read. */
int csv_next(struct csv_reader *reader);
void csv_close(struct csv_reader *reader);

/* Calls `row` for each record of a file, the header at line 1 included, until it returns a failure.
 * Returns the first failure. */
int csv_each(const char *path, int (*row)(void *context, const struct csv_reader *row),
             void *context);

struct csv_writer {
    FILE *file;
    int cells; /* cells of the current record that were written */
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

/* Formats a number as the dialect writes it, "" if it is not finite. Returns the buffer. */
char *csv_format_number(char buffer[32], double value);

/* Returns the number that is read from what is written for this one. */
double csv_written_number(double value);

/* Parses a finite decimal number. Returns 1, or 0 for any other text. */
int csv_parse_number(const char *cell, double *value);

/* A set of tuples of strings. A zeroed set is empty; it owns copies until string_set_free. */
struct string_set {
    void *tree; /* of tsearch */
};

/* Adds a tuple of `parts` strings unless the set has it. Returns 0, or FAIL_OUTPUT. */
int string_set_add(struct string_set *set, const char *const *part, int parts);
int string_set_has(const struct string_set *set, const char *const *part, int parts);
void string_set_free(struct string_set *set);

#endif
