/*
 * Holds a kernel whose costs are knocked out, and a twin of it (knockout/twin.h).
 */
#ifndef WHYFAST_TWIN_KERNEL_H
#define WHYFAST_TWIN_KERNEL_H

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

#endif
