/*
 * Reads the container of a report of Nsight Compute (.ncu-rep), and the same compressed by zstd
 * (.ncu-repz), block by block: no more than one entry and the table of names is in memory.
 *
 * The layout is the one that NVIDIA's Customization Guide publishes ("Report File Format"): a magic
 * number, a file header, then blocks of a header and a payload; the payload has the block's
 * sources, its results and its range results, each behind its length. Names of metrics stand once,
 * in the headers, and results refer to them by their place. The numbers of the fields were inferred
 * from values in reports of format version 7 (Nsight Compute 2021 and 2022); no schema was used.
 *
 * A report may be damaged, or made to do harm: lengths are limits for what is read, never sizes to
 * be allocated at once. Whoever visits an entry borrows it during the call.
 */
#ifndef WHYFAST_REPORT_FILE_H
#define WHYFAST_REPORT_FILE_H

#include "ncu_report/wire.h"

/* What an entry refers to: the names of metrics so far, and the program of its block. */
struct report_block {
    size_t count, bytes;
    char **name;
    char *program; /* its path, or NULL */
};

/* What is called for each entry; a function returns 0, or a failure that ends the reading. */
struct report_visitor {
    void *context;
    int (*session)(void *context, struct wire session);
    int (*source)(void *context, struct wire source); /* or NULL */
    int (*result)(void *context, struct wire result, const struct report_block *block);
};

/* Reads a report. Returns 0, FAIL_INPUT with a message that says what is wrong with the file, or
 * what a function of the visitor returned. */
int report_file_read(const char *path, const struct report_visitor *visitor);

/* Returns 1 if the name of a file ends like that of a report. */
int report_file_is_named(const char *path);

#endif
