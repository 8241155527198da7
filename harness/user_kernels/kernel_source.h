/*
 * Reads the kernels of a CUDA file, and writes their names and types as code of the same file. A
 * struct kernel_source owns its kernels and the object until kernel_source_free; the path is
 * borrowed.
 */
#ifndef WHYFAST_KERNEL_SOURCE_H
#define WHYFAST_KERNEL_SOURCE_H

#include "base/text.h"
#include "machine_code/kernel_signature.h"

struct kernel_source {
    const char *path; /* NULL: there is none */
    struct kernel_signatures kernels;
    int count; /* of those that kernel_source_select keeps, which come first */
    char *object;
    size_t bytes;
};

/* Compiles the file and reads all of its kernels; prints the compiler's messages if it refuses the
 * file. Whatever it returns, kernel_source_free follows. */
int kernel_source_read(struct kernel_source *source, const char *path);

/* Moves the kernels that no expression can name, and those of libraries of the toolkit, behind the
 * others. Returns FAIL_INPUT if no other is left, or if the types of its parameters are unknown. */
int kernel_source_select(struct kernel_source *source);

int kernel_source_has_main(const struct kernel_source *source);
void kernel_source_free(struct kernel_source *source);

/* Returns 1 for a pointer to const, -1 for another pointer to an object, 0 for another type. */
int kernel_type_points(const char *type);

/* Appends a name or a type as code of the same file: without the namespaces that have no name. */
void kernel_code_append(struct text *out, const char *code);

#endif
