/*
 * Prints the kernels of a program, ranked by time, after a run. Nothing is owned.
 */
#ifndef WHYFAST_PROGRAM_PRINT_H
#define WHYFAST_PROGRAM_PRINT_H

#include "run/run.h"

/* Prints to stderr, because stdout is the program's. The run must be evaluated. Prints nothing if
 * the program is quiet. */
int program_print(const struct run *run);

#endif
