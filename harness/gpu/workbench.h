/*
 * Holds one problem on the device: its inputs, a guarded and poisoned output, the reference result,
 * and the gate of the stream on which everything runs. A struct workbench owns its device and host
 * memory until workbench_close; the struct work that it hands to a variant points into it.
 */
#ifndef WHYFAST_WORKBENCH_H
#define WHYFAST_WORKBENCH_H

#include "catalog/registry.h"
#include "gpu/device.h"
#include "gpu/stream_gate.h"
#include "catalog/verify.h"

struct guarded {
    char *base; /* device: guard, bytes, guard */
    size_t bytes;
};

enum { BUFFERS = INPUT_COUNT + 2 };

struct workbench {
    uint64_t seed;
    const struct device *device;
    const struct family *family;
    struct shape shape;
    union {
        struct {
            struct guarded input[INPUT_COUNT], output, scratch;
        };
        struct guarded buffer[BUFFERS]; /* all of them */
    };
    void *host_input[INPUT_COUNT]; /* host; NULL unless variants run on the CPU, or have had
                                      references of their own */
    void *reference;               /* host, doubles for float results; NULL: nothing is checked */
    struct selected expects;       /* whose reference it is; without a variant: the family's */
    void *result;                  /* host, output.bytes */
    struct verified verified;      /* the last comparison of result and reference */
    struct stream_gate gate;
};

enum workbench_use {
    BENCH_CHECKED,        /* the CPU computes a reference, with which results are compared */
    BENCH_CHECKED_ON_CPU, /* variants run on the CPU too: the inputs stay in host memory as well */
    BENCH_UNCHECKED       /* no reference, which can take long: the results were checked before */
};

/* Allocates memory, fills the inputs from the seed and uploads them. Returns FAIL_GPU or
 * FAIL_OUTPUT, with a message, on failure. */
int workbench_open(struct workbench *bench, const struct device *device,
                   const struct selected *first, uint64_t seed, enum workbench_use use);
void workbench_close(struct workbench *bench);

/* The pointers that a variant gets: device memory, or host memory if it runs on the CPU. */
struct work workbench_view(const struct workbench *bench, const struct selected *selected);

/* Queues the overwriting of output and scratch with a poison that no right result has. */
int workbench_poison(struct workbench *bench);

/* Overwrites the output of a variant that runs on the CPU in the same way. */
void workbench_poison_host(struct workbench *bench);

/* Poisons, flushes the L2 cache and waits, so that every launch starts from the same state. */
int workbench_prepare(struct workbench *bench);
int workbench_synchronize(const struct workbench *bench);

/* Waits, then copies the output to bench->result; *intact is 0 if a guard was overwritten. */
int workbench_fetch(struct workbench *bench, int *intact);

/* Makes the reference that of the point, which may have one of its own (variant.reference). */
int workbench_expect(struct workbench *bench, const struct selected *selected);

/* Restores guards and inputs that a variant has overwritten, so that later variants do not fail. */
int workbench_repair(struct workbench *bench);

#endif
