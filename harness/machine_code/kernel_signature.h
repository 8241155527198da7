/*
 * Reads the names and the parameters of kernels from the object that nvcc made of a CUDA file. A
 * struct kernel_signatures owns all that it points to until kernel_signatures_free.
 *
 * The sizes of parameters are those of the cubin (section .nv.info.<kernel>), their types those of
 * the mangled name. The name of an extern "C" kernel has no types; those of its host stub, which is
 * in the same object, are taken. Names of parameters and their default arguments are in neither. A
 * template has kernels only for the arguments with which the file uses or instantiates it.
 */
#ifndef WHYFAST_KERNEL_SIGNATURE_H
#define WHYFAST_KERNEL_SIGNATURE_H

#include <stddef.h>

struct kernel_parameter {
    const char *type; /* "float const*"; "" if it is unknown */
    unsigned bytes;
};

struct kernel_signature {
    char *symbol;  /* the mangled name */
    char *name;    /* the readable one: "outer::tiled<float, 256>" */
    unsigned line; /* the first one with code, or 0 without a line table */
    struct kernel_parameter *parameter;
    int parameter_count;
};

struct kernel_signatures {
    struct kernel_signature *kernel; /* by line */
    int count;
};

/* Reads the kernels of the first cubin in these bytes; none if there is no cubin. Returns a failure
 * if memory is short; kernel_signatures_free follows in any case. */
int kernel_signatures_read(struct kernel_signatures *list, const char *object, size_t bytes);
void kernel_signatures_free(struct kernel_signatures *list);

#endif
