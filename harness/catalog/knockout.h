/*
 * Names the knock-outs: costs that can be taken out of a kernel's machine code, so that the time of
 * the copy tells what the cost is worth. Nothing is owned.
 *
 * Source of the method: decremental analysis of CPU code (S. Koliai et al., Quantifying performance
 * bottleneck cost through differential analysis, ICS 2013; DECAN of MAQAO). On GPUs kernels are
 * known to be rewritten by hand without their memory accesses or without their arithmetic (P.
 * Micikevicius, Analysis-driven optimization, GTC 2010); here nothing is recompiled.
 */
#ifndef WHYFAST_KNOCKOUT_H
#define WHYFAST_KNOCKOUT_H

enum knockout {
    KNOCKOUT_NOTHING,
    KNOCKOUT_BARRIERS,
    KNOCKOUT_CONFLICTS,
    KNOCKOUT_LOAD_CONFLICTS,
    KNOCKOUT_STORE_CONFLICTS,
    KNOCKOUT_MATRIX_CONFLICTS,
    KNOCKOUT_ATOMIC_CONFLICTS,
    KNOCKOUT_COPY_CONFLICTS,
    KNOCKOUT_BARRIERS_CONFLICTS,
    KNOCKOUT_GLOBAL_LOADS,
    KNOCKOUT_GLOBAL_STORES,
    KNOCKOUT_ATOMICS,
    KNOCKOUT_LOCAL_MEMORY,
    KNOCKOUT_CONSTANT_READS,
    KNOCKOUT_DOUBLES,
    KNOCKOUT_HALF_FP32,
    KNOCKOUT_HALF_TENSOR,
    KNOCKOUT_REGISTER_BANKS,
    KNOCKOUT_ALL,
    KNOCKOUTS
};

struct knockout_kind {
    const char *name;  /* in knockouts.csv and on the command line */
    const char *title; /* "bank conflicts of loads" */
    const char *cause; /* of the account (metrics/causes.metric) that it measures; "" if none */
    const char *note;  /* what a reader must know of the figure, or "" */
};

extern const struct knockout_kind knockout_kinds[KNOCKOUTS];

int knockout_find(const char *name);

/* Returns FAIL_USAGE, with a message that names the nearest one. */
int knockout_unknown(const char *name);

/* Returns the number of a line that is written "N" or "FILE:N", or 0 if it is neither. */
long knockout_line(const char *line);

/* Returns 1 if a location is at such a line: in any file, or in one whose path ends with FILE. */
int knockout_line_is(const char *line, const char *file, long number);

#endif
