/*
 * The text of machine code (SASS), instruction by instruction, as NVIDIA's own tools disassemble a
 * cubin: nvdisasm, or where that is not on the PATH cuobjdump. A struct disassembly owns its text
 * until disassembly_free.
 */
#ifndef WHYFAST_DISASSEMBLY_H
#define WHYFAST_DISASSEMBLY_H

#include <stddef.h>

enum { DISASSEMBLY_REASON = 100 }; /* bytes of a reason */

struct disassembled_instruction {
    unsigned pc;      /* bytes from the start of the kernel */
    const char *text; /* "@!P0 BRA 0x100": without the ';', and with the places of jumps as bytes
                         from the start of the kernel */
};

struct disassembled_kernel {
    const char *name; /* mangled */
    int first, count; /* of disassembly.instruction, by pc */
};

struct disassembly {
    char *text; /* what the tool printed, cut into the strings that lie in it */
    struct disassembled_instruction *instruction;
    int instruction_count;
    struct disassembled_kernel *kernel;
    int kernel_count;
};

/* Disassembles all kernels of an image by one start of the tool, which takes about a third of a
 * second, however few they are: the image is written to a temporary file, in TMPDIR or /tmp,
 * that is removed before this returns. 0; FAIL_CHECK, nothing said but the reason given, where
 * neither tool is on the PATH or the one that is fails; or FAIL_OUTPUT. It is empty unless this
 * returns 0. */
int disassembly_make(struct disassembly *disassembly, const void *image, size_t bytes,
                     char reason[DISASSEMBLY_REASON]);

/* Takes what a tool has printed, and frees it even when this fails: 0, or FAIL_OUTPUT. With both
 * tools an instruction is a line that begins with its address in a comment and has a ';' behind
 * its text; what else there is differs: a kernel begins with ".text.NAME:" (nvdisasm) or
 * "Function : NAME" (cuobjdump), and where nvdisasm has labels, cuobjdump has addresses. Here it
 * is always addresses. */
int disassembly_parse(struct disassembly *disassembly, char *text);
void disassembly_free(struct disassembly *disassembly);

/* The text of an instruction of a kernel; NULL where the tool has printed none. */
const char *disassembly_text(const struct disassembly *disassembly, const char *kernel,
                             unsigned pc);

#endif
