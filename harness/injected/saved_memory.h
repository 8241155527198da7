/*
 * Saves the memory that the parameters of a launch point to, and the variables of the kernel's
 * module, and gives them back before each further launch. A struct saved_memory owns the
 * copies until saved_memory_free.
 *
 * Each aligned word of the parameters that is an address which the driver knows stands for the
 * whole allocation around it, or, of memory that was mapped in pieces, for its piece. Addresses
 * that lie in memory are not followed. What others write there meanwhile (copies, other threads,
 * processes or devices) is lost.
 */
#ifndef WHYFAST_INJECT_SAVED_MEMORY_H
#define WHYFAST_INJECT_SAVED_MEMORY_H

#include "injected/twin_functions.h"
#include "injected/watch.h"

enum { MOST_RANGES = 256 };

struct saved_range {
    CUdeviceptr from, copy;
    size_t bytes;
};

struct saved_memory {
    const struct twin_functions *driver;
    int count;
    int has_variables; /* of the module */
    struct saved_range range[MOST_RANGES];
};

/* Returns NULL, or a reason why nothing is saved: there is not enough memory for the copies, or
 * some of it is of another device. */
const char *saved_memory_save(struct saved_memory *saved, const struct twin_functions *functions,
                              const struct watched_launch *launch,
                              const struct twin_original *original);

/* Queues the copies back. Returns 1, or 0 if that fails. */
int saved_memory_restore(const struct saved_memory *saved, CUstream stream);
void saved_memory_free(struct saved_memory *saved);

#endif
