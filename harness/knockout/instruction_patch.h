/*
 * Changes one instruction of machine code: it does nothing, or a lane addresses shared memory
 * without a conflict. Nothing is owned.
 *
 * An instruction has 128 bits since compute capability 7.0. The places of its fields were found by
 * disassembling code of our own: they are not documented, so every patch states the text that the
 * disassembler must print for it, and a patch with another text is refused (knockout/twin.h).
 *
 *   bits 12-15    guard: 7 always, 15 never
 *   bits 24-31    register of the address of LDS, STS, LDSM, STSM, ATOMS, LDC; 255 is RZ
 *   bits 40-63    offset of LDS, STS, LDSM, STSM, ATOMS; bits 78-79 scale the register of LDS, STS
 *                 and ATOMS by 4, 8, 16; bit 91 of LDS adds the uniform register of bits 32-39, and
 *                 that of STSM the one of bits 64-71
 *   bits 16-23    register of the address of LDGSTS in shared memory, bits 44-63 its offset
 *   bits 24-31, 32-39, 64-71   sources of FFMA, if all are registers
 *   bits 16-23, 34-81   distance of BRA in units of 4 bytes
 *   bits 105-125  control: stall 105-108, write barrier 110-112, read barrier 113-115 (7: none),
 *                 barriers to wait for 116-121, operand reuse 122-125
 */
#ifndef WHYFAST_INSTRUCTION_PATCH_H
#define WHYFAST_INSTRUCTION_PATCH_H

#include <stdint.h>

#include "machine_code/sass_text.h"

struct instruction_word {
    uint64_t low, high;
};

enum patch_kind {
    PATCH_GUARD,    /* @!PT: it is issued and queued, and does nothing */
    PATCH_NOP,      /* also frees the unit: for barriers, slow arithmetic, local memory */
    PATCH_LINEAR,   /* the address is the lane times the width; R1 must be the lane */
    PATCH_ONE_WORD, /* all lanes have one address */
    PATCH_BANK,     /* one of three sources is the neighbour of its register, in the other bank */
    PATCH_LANE,     /* in place of the load of the stack pointer, or of a NOP: R1 is the lane */
    PATCH_WAIT,     /* also waits for R1 */
    PATCH_SCALE,    /* in place of a NOP: waits for R1, and multiplies it */
    PATCH_JUMP      /* in place of the load of the stack pointer, or of a NOP */
};

/* What patches ask for besides the instruction. */
struct patch_setting {
    unsigned shared; /* size of the block's shared memory */
    unsigned scale;  /* R1 is the lane times it: 1, 4, 8 or 16 */
    long distance;   /* of the target of a jump from behind it, in bytes */
    int registers;   /* that the kernel has */
};

enum { PATCH_TEXT = 200, SHARED_BEGIN = 0x400 /* below it is the system's part */ };

/* Returns the patched instruction and the text that it must have; that of a jump is as if it were
 * at 0. Returns 0, or FAIL_CHECK, without a message, if the instruction is none that the patch is
 * for. */
int instruction_patch(enum patch_kind kind, const struct sass *sass,
                      const struct patch_setting *setting, struct instruction_word *word,
                      char text[PATCH_TEXT]);

/* Writes the text of a jump. */
void jump_text(long target, char text[PATCH_TEXT]);

/* Returns the bytes per lane of an access, by its operation: of a row of stmatrix, too. */
unsigned access_width(const struct sass *sass);

/* Tells whether R1 as the lane times a scale gives an access one word after the other: the register
 * of LDS, STS and ATOMS can be scaled once more. */
int access_fits(const struct sass *sass, unsigned scale);

/* Tells whether all sources of an FFMA are in one bank of the register file, which makes it wait:
 * three registers, all even or all odd, of which the instruction before it (NULL: none) keeps none
 * for reuse, and one of which has a neighbour among the registers of the kernel. */
int has_bank_conflict(const struct sass *sass, const struct sass *before, int registers);

/* Return the barrier that the instruction sets until its operands are read, or until its result is
 * there: 0 to 5, or NO_BARRIER; and those for which it waits, as bits. */
enum { NO_BARRIER = 7 };
int read_barrier(const struct instruction_word *word);
int write_barrier(const struct instruction_word *word);
unsigned waits_for(const struct instruction_word *word);

#endif
