/*
 * A kernel that was or will be launched, as the driver knows it: one of a variant's own, or one
 * inside a library. Nothing is owned; names are the driver's and live as long as the kernel's
 * module.
 */
#ifndef WHYFAST_KERNEL_FACTS_H
#define WHYFAST_KERNEL_FACTS_H

#include <cuda.h>

#include "catalog/variant.h"

struct listed_kernel {
    struct launch launch;       /* of a library's kernel: grid, block and dynamic_shared only */
    CUfunction driver_function; /* of a library's kernel; NULL for the variant's own, which is
                                   launch.function */
};

struct kernel_facts {
    CUfunction function;
    const char *symbol; /* the linker's name, mangled where it is of C++ */
    int registers;      /* per thread */
    int static_shared;  /* bytes per block */
    int local;          /* bytes per thread */
    int max_block_threads;
    int max_dynamic_shared; /* bytes that have been granted */
};

/* 0, or FAIL_GPU, said. */
int kernel_facts(const struct listed_kernel *kernel, struct kernel_facts *facts);

/* How many blocks of this launch one SM holds, by the driver. 0, or FAIL_GPU, said. */
int kernel_blocks_per_sm(const struct kernel_facts *facts, int threads, size_t dynamic_shared,
                         int *blocks);

/* The kernel's name for people, which the caller frees: demangled, without result and arguments;
 * a symbol that is not mangled is itself. NULL when out of memory, said. */
char *kernel_name(const char *symbol);

#endif
