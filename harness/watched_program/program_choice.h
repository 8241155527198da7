/*
 * Chooses the kernels of a program that are counted and shown: those that the user names, or those
 * that take the most time. A struct program_choice owns its array until program_choice_free; its
 * kernels are those of the parts.
 */
#ifndef WHYFAST_PROGRAM_CHOICE_H
#define WHYFAST_PROGRAM_CHOICE_H

#include "watched_program/program_parts.h"

enum { MOST_CHOSEN = 32 };

struct program_filter {
    const char *kernel, *range; /* extended regular expressions, or NULL */
    long process;               /* -1: all */
    long skip, count;           /* launches of each kernel; count 0: all */
    const char *by;             /* "range", "operator", or NULL: what tells launches of one shape
                                   apart (injected/nvtx_ranges.h); a range implies "range" */
    int each;                   /* 90 % of the time of each process, not of all together */
};

struct program_choice {
    int count, each;
    unsigned counts_minor; /* kernels, as bits, whose functions are not minor, so that their
                              instructions are counted */
    const struct program_kernel **kernel; /* by total time, the most first */
    double total_ns, chosen_ns;           /* of all kernels, and of the chosen ones */
    int others;                           /* kernels that were not chosen */
};

/* Returns FAIL_USAGE, with a message, for a damaged regular expression. */
int program_filter_check(const struct program_filter *filter);

/* Without a filter chooses the kernels with the longest total times until they make up 90 % of the
 * GPU's time; with one, those that match; at most MOST_CHOSEN. A kernel without a launch that the
 * filter takes is not chosen. */
int program_choice_make(struct program_choice *choice, const struct program_parts *parts,
                        const struct program_filter *filter);
void program_choice_free(struct program_choice *choice);

/* Returns 1 if a chosen kernel, or all of its function in its process, takes less than 2 % of the
 * time of the chosen ones, of its process if each counts: the program is not started again for it
 * alone. */
int program_choice_is_minor(const struct program_choice *choice, int k);
int program_choice_is_minor_function(const struct program_choice *choice, int k);
extern const char program_choice_minor[]; /* says so */

int program_filter_takes(const struct program_filter *filter, int ordinal);

#endif
