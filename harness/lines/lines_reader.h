/*
 * The rows of lines.csv one after the other, checked: every instruction is of a kernel that there
 * is, is there once, and names sources that there are. Nothing is kept of a row. A struct
 * lines_read owns what it knows of kernels and sources until lines_reader_close.
 */
#ifndef WHYFAST_LINES_READER_H
#define WHYFAST_LINES_READER_H

#include <stdint.h>

#include "lines/line_checks.h"
#include "lines/lines_format.h"
#include "query/query.h"
#include "run/table_rows.h"

struct lines_reader {
    struct query *query;
    struct table_rows rows;
    int source_count;
    unsigned char *source; /* by number: 1 for those that there are */
    int64_t kernel_count;
    struct read_kernel {
        int64_t next_pc; /* the least that can come without having been there */
        unsigned char is_there, is_kept;
    } * kernel;               /* by number */
    int64_t kernel_at, pc_at; /* of the row at hand */
    int out_of_order;
    struct line_tally
        tally; /* counts that cannot be, of the kernels that are asked for: their cells are empty */
};

/* Opens the file. `kept` is a statement whose rows are the numbers of the kernels that are asked
 * for. Wants the tables sources and kernels. After a failure nothing is owned. */
int lines_reader_open(struct lines_reader *read, struct query *query, const char *kept);
void lines_reader_close(struct lines_reader *read);

/* The next row whose kernel is asked for: 1, or 0 at the end, or FAIL_INPUT with the
 * instruction. The others are checked, too. */
int lines_reader_next(struct lines_reader *read);

#endif
