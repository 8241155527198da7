/*
 * Finds groups of instructions that the compiler writes for one operation of the source which the
 * GPU does not have: division and modulo by a variable, and the like. A struct code_idioms owns its
 * arrays until code_idioms_free.
 *
 * Method: each idiom has an instruction that begins it (a conversion, a reciprocal, a product by
 * one), others that must follow, and an end. Between them the instructions that depend on the first
 * one belong to it, and for integers those that prepare the divisor. A subroutine of the compiler
 * belongs to the idiom that calls it, with the call. The sequences are those of nvcc 12 and 13.
 */
#ifndef WHYFAST_CODE_IDIOMS_H
#define WHYFAST_CODE_IDIOMS_H

#include "machine_code/sass_text.h"

struct code_idiom {
    const char *name; /* "modulo by a variable" */
    int first;        /* the instruction that begins it */
    int count;        /* instructions that belong to it */
};

struct code_idioms {
    int count;
    struct code_idiom *idiom;
    int *of; /* for each instruction: its idiom, or -1 */
};

/* Fills *idioms for `count` instructions, by pc from 0 on without a gap. Returns FAIL_OUTPUT if
 * memory is short; the caller frees it in any case. */
int code_idioms_find(struct code_idioms *idioms, const struct sass *sass, int count);
void code_idioms_free(struct code_idioms *idioms);

#endif
