/*
 * Finds the machine code of a program's kernels among the cubins that the library kept: by the
 * stall samples of a function, else by its name in the cubins. Nothing is owned.
 */
#ifndef WHYFAST_PROGRAM_CUBINS_H
#define WHYFAST_PROGRAM_CUBINS_H

#include "watched_program/program_parts.h"

/* Sets the cubin of each kernel that has none, from the files of the start of the program that was
 * sampled. One stays without if its code is not found. */
int program_cubins_find(struct program_parts *parts, const char *directory);

#endif
