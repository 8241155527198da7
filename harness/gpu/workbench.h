/*
 * One problem on the device: inputs, guarded and poisoned output, reference result. A struct
 * workbench owns its device and host memory until work_close; the struct work that it hands to
 * kernels points into it.
 */
#ifndef WHYFAST_WORKBENCH_H
#define WHYFAST_WORKBENCH_H

#include "catalog/variant.h"
#include "gpu/device.h"

struct guarded {
    char *base; /* device: guard, bytes, guard */
    size_t bytes;
};

struct workbench {
    uint64_t seed;
    const struct device *device;
    const struct family *family;
    struct shape shape;
    struct guarded input[INPUT_COUNT];
    struct guarded output;
    struct guarded scratch;
    void *host_input[INPUT_COUNT]; /* host: kept when the CPU runs too, else NULL */
    void *reference; /* host; output.bytes, twice that for float results, whose reference is double;
                        NULL: nothing can be checked */
    void *result;    /* host, output.bytes */
};

enum work_use {
    WORK_CHECKED,        /* results are compared with a reference, which the CPU computes when the
                            workbench is opened */
    WORK_CHECKED_ON_CPU, /* variants run on the CPU too: the inputs stay in host memory as well */
    WORK_UNCHECKED /* no reference, which can take long: for launches of what was checked before */
};

/* Allocates, fills the inputs from the seed and uploads them. 0, FAIL_GPU or FAIL_OUTPUT, said. */
int work_open(struct workbench *bench, const struct device *device, const struct family *family,
              const struct shape *shape, uint64_t seed, enum work_use use);
void work_close(struct workbench *bench);

/* The view of the workbench that a variant gets: device memory, or host memory for one that runs
 * on the CPU. */
struct work work_view(const struct workbench *bench, const struct variant *variant,
                      const struct point *point);

/* Overwrites output and scratch with a poison that no right result has. Queued on the device's
 * stream. */
int work_poison(struct workbench *bench);

/* Runs the variant once and compares. 0; FAIL_GPU; or FAIL_CHECK with the reason in `reason`,
 * and what it may have spoilt, inputs and guards, is made anew, so that no other variant is
 * blamed for it. */
int work_check(struct workbench *bench, const struct variant *variant, const struct point *point,
               char reason[160]);

/* work_poison, then work_check. */
int work_verify(struct workbench *bench, const struct variant *variant, const struct point *point,
                char reason[160]);

#endif
