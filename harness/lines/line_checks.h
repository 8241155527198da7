/*
 * What must hold of the counts of an instruction, each counted or sampled in one launch or the same
 * ones; what does not cannot be, and is left empty. Nothing is owned, but for the tally, which is
 * its holder's.
 */
#ifndef WHYFAST_LINE_CHECKS_H
#define WHYFAST_LINE_CHECKS_H

#include "lines/lines_format.h"
#include "query/query.h"

enum {
    LINE_COUNTS = LINE_STALLS - LINE_EXECUTED
}; /* columns of lines.csv that are counts, side by side */

/* Instructions of which something cannot be, by kernel and check. */
struct line_tally {
    int count, capacity;
    struct line_broken {
        int64_t kernel;
        int check;
        int64_t instructions;
    } * broken;
};

/* Judges the counts of an instruction, by their columns from LINE_EXECUTED on, NAN where absent:
 * makes NAN of those that cannot be, and says in bits which columns these are (1 << LINE_...),
 * LINE_STALLS among them. 0 when all can be. Adds to the tally; FAIL_OUTPUT when out of memory,
 * as a failure of *result. */
unsigned line_check(double count[LINE_COUNTS], int64_t kernel, struct line_tally *tally,
                    int *result);

/* The same of all rows of table lines. */
int line_checks_apply(struct query *query, struct line_tally *tally);

/* Makes the table impossible_lines(kernel, holds, because, instructions). */
int line_checks_write(struct query *query, const struct line_tally *tally);
void line_tally_free(struct line_tally *tally);

#endif
