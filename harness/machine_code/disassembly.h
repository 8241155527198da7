/*
 * Disassembles a cubin with NVIDIA's own tools: nvdisasm, or cuobjdump if there is no nvdisasm. A
 * struct disassembly owns its text until disassembly_free.
 */
#ifndef WHYFAST_DISASSEMBLY_H
#define WHYFAST_DISASSEMBLY_H

#include <stddef.h>

#include "base/process.h"

enum { DISASSEMBLY_REASON = 100 }; /* bytes of a reason */

struct disassembled_instruction {
    unsigned pc;      /* bytes from the start of the kernel */
    const char *text; /* "@!P0 BRA 0x100", without the ';'; jump targets are bytes from the start
                         of the kernel */
};

struct disassembled_kernel {
    const char *name; /* mangled */
    int first, count; /* range of disassembly.instruction, sorted by pc */
};

struct disassembly {
    char *text; /* output of the tool, cut into the strings used here */
    struct disassembled_instruction *instruction;
    int instruction_count;
    struct disassembled_kernel *kernel;
    int kernel_count;
};

/* A tool that runs on one image. */
struct disassembler {
    struct process child;
    int is_started;
    int file; /* in memory, with the image; not above 0 if there is none */
    const char *tool;
    int is_raw; /* it gets code without a cubin */
    char *left; /* functions for further starts, or NULL */
};

/* Returns the path of a tool on the PATH, or else in NVIDIA's package for the Python into whose
 * environment this program is installed, or beside $NVCC, or, if that is not set, beside the
 * nvdisasm that the build has found; or NULL. The caller frees it. */
char *disassembler_find(const char *tool);

/* Starts to disassemble all kernels of an image, which takes about a third of a second for 1 MB; or
 * those with these functions, as indexes of the symbol table ("17,23"), which is faster in a large
 * image; those behind a ';' are left for another start, because nvdisasm takes about 35 times as
 * much memory as their code has. Only nvdisasm can choose. Returns FAIL_CHECK with a reason,
 * without a message, if neither tool is found. The caller must call disassembly_finish in any case.
 */
int disassembly_start(struct disassembler *disassembler, const void *image, size_t bytes,
                      char *functions, char reason[DISASSEMBLY_REASON]);

/* Does the same for instructions without a cubin around them, for an architecture (90 for sm_90 and
 * sm_90a). Only nvdisasm can do this. They become a kernel without a name. */
int disassembly_start_raw(struct disassembler *disassembler, const void *code, size_t bytes,
                          int architecture, char reason[DISASSEMBLY_REASON]);

/* Waits for the tool and parses its output. Returns FAIL_CHECK if the tool failed, with a reason,
 * or was not started. The disassembly is empty after a failure. */
int disassembly_finish(struct disassembly *disassembly, struct disassembler *disassembler,
                       char reason[DISASSEMBLY_REASON]);

/* Parses the output of a tool, and frees it even on failure. With both tools an instruction is a
 * line that begins with its address in a comment and has a ';' behind its text. A kernel begins
 * with ".text.NAME:" (nvdisasm) or "Function : NAME" (cuobjdump); labels of nvdisasm become
 * addresses, as in cuobjdump. */
int disassembly_parse(struct disassembly *disassembly, char *text);
void disassembly_free(struct disassembly *disassembly);

/* Returns the text of an instruction of a kernel, or NULL if the tool printed none. */
const char *disassembly_text(const struct disassembly *disassembly, const char *kernel,
                             unsigned pc);

#endif
