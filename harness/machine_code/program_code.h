/*
 * Compares the machine code of kernels in files that were built: executables, objects, shared
 * objects and cubins. A struct program_code owns its kernels until program_code_free.
 *
 * Two kernels are equal if their instructions, their registers, their static shared memory and all
 * device functions beside them are. Constants, launches and the code of the host are not compared.
 * Of code for several architectures all must be equal; the first is counted. Compressed images are
 * not found: nvcc compresses none with -Xfatbin=-compress=false.
 */
#ifndef WHYFAST_PROGRAM_CODE_H
#define WHYFAST_PROGRAM_CODE_H

#include <regex.h>
#include <stdint.h>

#include "base/text.h"
#include "machine_code/cubin.h"

struct operation_count {
    char name[24]; /* "LDG.E": without the further parts of the operation */
    int count;
};

struct code_kernel {
    char *symbol, *name; /* mangled; readable, with the types of its parameters */
    uint64_t hash;
    int instructions;                  /* NOP included */
    struct operation_count *operation; /* by name, without NOP; none without a disassembler */
    int operations;
};

struct program_code {
    struct code_kernel *kernel; /* by name */
    int count;
};

/* Adds the kernels of a file whose names, mangled or readable, match; all of them if `wanted` is
 * NULL. A file that cannot be read has none. Returns FAIL_OUTPUT, with a message, if memory is
 * short. */
int program_code_read(struct program_code *code, const char *path, const regex_t *wanted);

/* Counts the operations of these kernels in a file that they were read from, if there is a
 * disassembler. */
int program_code_count(struct program_code *code, const char *path);
void program_code_free(struct program_code *code);

int program_code_equal(const struct program_code *a, const struct program_code *b);

/* Appends in what the second code differs, in one sentence without a full stop. */
void program_code_change(struct text *text, const struct program_code *before,
                         const struct program_code *after);

#endif
