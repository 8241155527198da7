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

#include "catalog/knockout.h"
#include "knockout/instruction_patch.h"
#include "machine_code/control_flow.h"
#include "machine_code/sass_text.h"

/* The counts of one instruction; NAN: unknown. */
struct counted_instruction {
    double executed, wavefronts, ideal;
};

struct twin_kernel {
    const unsigned char *code; /* 16 bytes for each instruction */
    int count, architecture;   /* 90 for sm_90 and sm_90a */
    const struct sass *sass;
    const struct control_flow *flow;
    const struct counted_instruction *counted;
    const unsigned char *is_chosen; /* for each instruction: it may be patched; NULL: all may */
    unsigned shared_bytes;          /* of a block, static and dynamic */
};

enum { TWIN_REASON = 160 };
#define TWIN_HAS_NONE "the kernel has none" /* the reason where nothing can be knocked out */

struct twin_patch {
    int instruction;
    struct instruction_word word;
    char text[PATCH_TEXT]; /* as it must be disassembled; of a jump: at its place in the kernel */
    long distance;         /* of the target of a jump from behind it, in bytes; 0: no jump */
};

struct twin {
    enum knockout knockout;
    char reason[TWIN_REASON]; /* why there is none, or why instructions were left alone; or "" */
    int patched, left;        /* instructions of the knock-out */
    struct twin_patch *patch; /* those of `patched`, and what they need */
    int patch_count;
};

/* Plans a twin. It has no patches if there is nothing to knock out, and a reason. Returns
 * FAIL_OUTPUT if memory is short. */
int twin_plan(struct twin *twin, enum knockout knockout, const struct twin_kernel *kernel);
void twin_free(struct twin *twin);

/* Disassembles the patched instructions of all twins. Those with another text than was meant lose
 * their patches and get a reason; all of them do if there is no disassembler. Returns
 * FAIL_INTERRUPTED or FAIL_OUTPUT on failure. */
int twins_check(struct twin *twin, int count, const struct twin_kernel *kernel);

#endif
