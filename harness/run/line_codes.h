/*
 * In lines.csv, code that several kernels have is written once: in a row, either the cells source,
 * line, inlined_at and sass hold the code, or they are empty and the cell code_of is the number of
 * a kernel whose row of the same pc is above and holds the same code. A struct line_codes knows the
 * rows of one file so far, and owns copies of their code until line_codes_free; a zeroed one is
 * empty.
 */
#ifndef WHYFAST_LINE_CODES_H
#define WHYFAST_LINE_CODES_H

#include "base/csv.h"

struct line_codes {
    void *tree; /* of tsearch */
};

/* Gives a row that was read the code to which it refers, and empties its cell number `code_of`.
 * Every row of the file must be given, in order. Returns FAIL_INPUT with file:line if no row above
 * holds the code. */
int line_codes_expand(struct line_codes *codes, const struct csv_reader *row, int code_of);

/* The opposite, for a row that will be written: makes it refer to a row above if that has the same
 * code. */
int line_codes_shorten(struct line_codes *codes, const char **cell, int code_of);

void line_codes_free(struct line_codes *codes);

#endif
