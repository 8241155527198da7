/*
 * Reads what is known of single instructions of a program's kernels, from the samples of its first
 * start and the counts of the last ones, and writes the tables kernels, lines and sources. A struct
 * program_lines owns its arrays until program_lines_free, and borrows the record.
 */
#ifndef WHYFAST_PROGRAM_LINES_H
#define WHYFAST_PROGRAM_LINES_H

#include "machine_code/probe_results.h"
#include "machine_code/kernel_listing.h"
#include "watched_program/program_tables.h"

/* Samples and counts are of functions: the chosen kernel of a function with the most time has them,
 * the others say so. */
struct program_lines {
    const struct program_record *record;
    struct probe_results kernels;    /* of each chosen kernel */
    struct listing *listing;         /* likewise */
    struct listing_request *request; /* likewise: the file of its cubin, and its function */
    struct listing_tools *tools;     /* or NULL */
};

/* Begins to disassemble the kernels, whose samples are of this start, for program_lines_read. */
int program_lines_begin(struct program_lines *lines, const struct program_choice *choice,
                        const struct program_parts *sampled);
int program_lines_read(struct program_lines *lines, const struct program_record *record);
int program_lines_write(struct run *run, const struct program_lines *lines);
void program_lines_free(struct program_lines *lines);

/* Returns the chosen kernel with the samples and counts of the function of chosen kernel `k`, which
 * may be `k` itself. */
int program_lines_owner(const struct program_choice *choice, int k);

#endif
