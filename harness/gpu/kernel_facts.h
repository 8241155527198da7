/*
 * Reads what the driver knows about a kernel that is launched, by a variant or inside a library.
 * Nothing is owned; symbols are the driver's and live as long as the kernel's module.
 */
#ifndef WHYFAST_KERNEL_FACTS_H
#define WHYFAST_KERNEL_FACTS_H

#include <cuda.h>

#include "catalog/variant.h"

struct listed_kernel {
    struct launch launch;       /* for a library's kernel: grid, block and dynamic_shared only */
    CUfunction driver_function; /* NULL for a variant's own kernel, which is launch.function */
};

struct kernel_facts {
    CUfunction function;
    const char *symbol; /* the linker's name, which C++ mangles */
    int registers;      /* per thread */
    int static_shared;  /* bytes per block */
    int local;          /* bytes per thread */
    int max_block_threads;
    int max_dynamic_shared; /* bytes that were granted */
};

/* Returns FAIL_GPU, with a message, on failure. */
int kernel_facts(const struct listed_kernel *kernel, struct kernel_facts *facts);

/* Asks the driver how many blocks of this launch one SM holds. */
int kernel_blocks_per_sm(const struct kernel_facts *facts, int threads, size_t dynamic_shared,
                         int *blocks);

/* The kernel's name for people: demangled, without result and arguments. Returns NULL, with a
 * message, if memory is short. The caller frees it. */
char *kernel_name(const char *symbol);

#endif
