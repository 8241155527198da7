/*
 * Names the kernels of a program as points of a run: the program is the family, each kernel with
 * its launch shape a variant (run/named_kernels.h). A struct program_names owns its points until
 * program_names_free; they refer to kernels of the parts.
 */
#ifndef WHYFAST_PROGRAM_NAMES_H
#define WHYFAST_PROGRAM_NAMES_H

#include "run/named_kernels.h"
#include "watched_program/program_choice.h"

struct program_point {
    const struct program_kernel *kernel;
    char family[NAMED_KERNEL], variant[NAMED_KERNEL], size[NAMED_KERNEL];
    char title[NAMED_KERNEL]; /* as it is written in the program */
    int chosen;               /* place in the choice, or -1 */
    int rung;                 /* place by total time in its process, from 1; 0: not chosen */
    double useful_bytes;      /* by a mark or the command line, else NAN */
};

struct program_names {
    int count; /* of all kernels of the parts, in their order */
    struct program_point *point;
};

int program_names_make(struct program_names *names, const struct program_parts *parts,
                       const struct program_choice *choice);
void program_names_free(struct program_names *names);

const struct program_point *program_names_chosen(const struct program_names *names, int index);

/* Checks that words read "KERNEL=NUMBER", with a number like 1000, 2^20 or 4*2^20. Returns
 * FAIL_USAGE, with a message, if they do not. */
int program_bytes_check(const char *words);

/* Sets the useful bytes by words that were checked; the kernel is a variant, its title or a
 * pattern. Warns if no kernel has the name. Returns FAIL_OUTPUT if memory is short. */
int program_names_set_bytes(struct program_names *names, const char *words);

#endif
