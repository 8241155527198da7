/*
 * Chooses the instructions that a knock-out takes, and their patches. Nothing is owned.
 */
#ifndef WHYFAST_TWIN_RULES_H
#define WHYFAST_TWIN_RULES_H

#include <string.h>

#include "knockout/twin_kernel.h"

/* A choice for an instruction that gets no patch: it is of no interest, or left alone. */
enum choice { CHOICE_NONE = -1, CHOICE_LEFT = -2 };

struct twin_planning {
    const struct twin_kernel *kernel;
    struct twin *twin;
    signed char *choice;  /* for each instruction: enum patch_kind or enum choice */
    unsigned char *patch; /* for steering.h */
    struct patch_setting setting;
    int has_mbarriers, uses_r1, is_shared_grid;
    int block, seen; /* of the instructions of which every second one is taken */
};

static inline struct instruction_word word_at(const unsigned char *code, int instruction)
{
    struct instruction_word word;
    memcpy(&word, code + (size_t)instruction * SASS_BYTES, sizeof word);
    return word;
}

/* Returns the patch of an instruction of the knock-out, or an enum choice. */
int twin_choose(struct twin_planning *planning, int i);

/* Leaves an instruction of the knock-out alone; the first reason is told. Returns CHOICE_LEFT. */
int twin_leave(struct twin_planning *planning, const char *reason);

#endif
