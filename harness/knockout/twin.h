/*
 * Makes twins of a kernel: copies of its machine code from which one cost is taken (a knock-out).
 * The number of instructions, registers and the schedule stay. A twin owns its patches until
 * twin_free; the kernel and its code are borrowed.
 *
 * A twin leaves alone what steers the kernel (knockout/steering.h), mbarriers, bulk copies,
 * polls, and all that they depend on. A twin whose patched instructions are not disassembled as
 * they were meant is refused.
 */
#ifndef WHYFAST_TWIN_H
#define WHYFAST_TWIN_H

#include "knockout/twin_kernel.h"

/* Plans a twin. It has no patches if there is nothing to knock out, and a reason. Returns
 * FAIL_OUTPUT if memory is short. */
int twin_plan(struct twin *twin, enum knockout knockout, const struct twin_kernel *kernel);
void twin_free(struct twin *twin);

/* Disassembles the patched instructions of all twins. Those with another text than was meant lose
 * their patches and get a reason; all of them do if there is no disassembler. Returns
 * FAIL_INTERRUPTED or FAIL_OUTPUT on failure. */
int twins_check(struct twin *twin, int count, const struct twin_kernel *kernel);

#endif
