/*
 * Prints the kernels of a program with their times in the first start, while later starts are still
 * to come. Nothing is owned.
 */
#ifndef WHYFAST_PROGRAM_TIMES_H
#define WHYFAST_PROGRAM_TIMES_H

#include "watched_program/program_names.h"

/* Prints a table to stderr, unless quiet. Returns FAIL_OUTPUT, with a message, if memory is short.
 */
int program_times_print(const struct program_choice *choice, const struct program_names *names);

#endif
