/*
 * Starts a program for the counters and the instructions of its kernels.
 */
#ifndef WHYFAST_PROGRAM_PROFILE_H
#define WHYFAST_PROGRAM_PROFILE_H

#include "watched_program/program_watch.h"

int program_profile_counters(struct program_watch *watch);
int program_profile_instructions(struct program_watch *watch);

/* Returns 1 if the instructions of a kernel are worth a start of this program. */
int program_profile_counts(const struct program_watch *watch);

/* Returns the number of kernels whose instructions are counted; *kernel lists them. */
int program_profile_choose_counted(const struct program_watch *watch, int kernel[MOST_COUNTED]);

#endif
