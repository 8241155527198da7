/*
 * Names the kernels of a program as points of a run: the program is the family, each kernel with
 * its launch shape a variant. A struct program_names owns its points until program_names_free; they
 * refer to kernels of the parts.
 *
 * The title of a variant is the label of its kernel (machine_code/kernel_label.h), and the variant
 * is its key. Kernels with one key have behind it what they differ in: ".g64x2" the grid, ".b128"
 * the block, ".s4096" bytes of dynamic shared memory, the last NVTX range, ".d1" the device. Only
 * if they differ in none of these, numbers follow in the order of their first launches.
 */
#ifndef WHYFAST_PROGRAM_NAMES_H
#define WHYFAST_PROGRAM_NAMES_H

#include "watched_program/program_choice.h"

enum { PROGRAM_NAME = 65 };

struct program_point {
    const struct program_kernel *kernel;
    char family[PROGRAM_NAME], variant[PROGRAM_NAME], size[PROGRAM_NAME];
    char title[PROGRAM_NAME]; /* as it is written in the program */
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

/* Returns the point of chosen kernel `index`. */
const struct program_point *program_names_chosen(const struct program_names *names, int index);

/* Checks that words read "KERNEL=NUMBER", with a number like 1000, 2^20 or 4*2^20. Returns
 * FAIL_USAGE, with a message, if they do not. */
int program_bytes_check(const char *words);

/* Sets the useful bytes by words that were checked; the kernel is a variant, its title or a
 * pattern. Warns if no kernel has the name. Returns FAIL_OUTPUT if memory is short. */
int program_names_set_bytes(struct program_names *names, const char *words);

#endif
