/*
 * Prints the kernels of a program, ranked by time, after a run. Nothing is owned.
 */
#ifndef WHYFAST_PROGRAM_PRINT_H
#define WHYFAST_PROGRAM_PRINT_H

#include "base/print_table.h"
#include "run/run.h"

/* Prints to stderr, because stdout is the program's. The run must be evaluated. Prints no table for
 * the screen if whyfast is quiet. */
int program_print(const struct run *run, enum print_form form);

#endif
