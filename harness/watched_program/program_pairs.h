/*
 * Chooses the kernels of two versions, each a process of one program, whose costs are knocked out.
 * Nothing is owned.
 */
#ifndef WHYFAST_PROGRAM_PAIRS_H
#define WHYFAST_PROGRAM_PAIRS_H

#include "watched_program/program_names.h"

/* Returns the chosen kernels, as bits, of two pairs (machine_code/kernel_pairs.h), or of one if
 * they are the same: that with the most time, and that whose time changed most. `named` has the
 * kernel that the user names of each version, or NULL. Sets *bits; returns FAIL_OUTPUT, with a
 * message, if memory is short. Without two processes there is no pair. */
int program_pairs_choose(unsigned *bits, const struct program_names *names,
                         const struct program_choice *choice, const char *const named[2]);

/* Why others are not knocked out. */
extern const char program_pairs_other[];

#endif
