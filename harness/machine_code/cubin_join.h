/*
 * Joins the machine code of cubins into one image for the disassembler, whose start takes far
 * longer than the code of a kernel: its instructions, what the linker puts into them, and its
 * symbols.
 */
#ifndef WHYFAST_CUBIN_JOIN_H
#define WHYFAST_CUBIN_JOIN_H

#include "base/text.h"
#include "machine_code/cubin.h"

/* Returns 1 for cubins of one architecture and format, none of which is damaged. */
int cubin_joins(const struct cubin *a, const struct cubin *b);

/* Writes the image. The kernel NAME of the cubin with index 7 is called 7.NAME in it, and the
 * symbols of that cubin begin at first_symbol[7]. Returns 0; FAIL_INPUT, without a message, if the
 * cubins are damaged or too large; or FAIL_OUTPUT if memory is short. */
int cubin_join(struct text *image, const struct cubin *const *cubin, int count,
               unsigned *first_symbol);

#endif
