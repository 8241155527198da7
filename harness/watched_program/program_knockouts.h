/*
 * Plans the starts of a program in which the costs of its kernels are knocked out, and writes the
 * table knockouts. A struct program_knockouts owns its kernels until program_knockouts_free, and
 * borrows the lines.
 *
 * One start times the twins of all kernels of a process. A twin that ended it is left out, and the
 * program is started again for the kernels that were not finished.
 */
#ifndef WHYFAST_PROGRAM_KNOCKOUTS_H
#define WHYFAST_PROGRAM_KNOCKOUTS_H

#include "knockout/twin_plans.h"
#include "watched_program/program_lines.h"
#include "watched_program/program_plan.h"

struct twin_row {
    char status[STATUS_BYTES]; /* "": there is none */
    int has_figures;
    double samples, time_ns, saved_ns, low_ns, high_ns;
};

struct knocked_kernel {
    char reason[STATUS_BYTES]; /* why nothing can be knocked out; or "" */
    struct twin_plans plans;
    unsigned timed; /* the twins, as bits 1 << enum knockout */
    int is_planned, is_done;
    struct twin_row row[KNOCKOUTS];
};

struct program_knockouts {
    const struct program_lines *lines;
    const struct program_plan *plan;
    unsigned wanted;               /* kernels, as bits; others say program_pairs_other */
    struct knocked_kernel *kernel; /* of each chosen kernel */
};

int program_knockouts_plan(struct program_knockouts *knockouts, const struct program_lines *lines,
                           const struct program_plan *plan, unsigned wanted);

/* Appends the rest of plan.txt (watched_program/program_plan.h) for the kernels of one process that
 * are not done. Returns their number; 0 if no further start is needed. */
int program_knockouts_append(struct text *text, struct program_knockouts *knockouts);

/* Takes what a start has left; `is_late` if it was ended because it took too long. */
void program_knockouts_take(struct program_knockouts *knockouts, const struct program_parts *start,
                            int is_late);

int program_knockouts_write(struct run *run, const struct program_knockouts *knockouts);
void program_knockouts_free(struct program_knockouts *knockouts);

#endif
