/*
 * What probes found out about the instructions of kernels (probe.h), read back from their CSV and
 * put together by kernel and pc. A struct line_kernels owns all of it until line_kernels_free.
 */
#ifndef WHYFAST_LINE_KERNELS_H
#define WHYFAST_LINE_KERNELS_H

#include "instruction_counts.h"
#include "text.h"

enum { SASS_BYTES = 16 /* of an instruction */, STATUS_BYTES = 256 };

struct line_instruction {
    int counted;
    double count[INSTRUCTION_COUNTS]; /* NAN where it does not apply */
    double samples, not_issued;
    struct text stalls; /* "long_scoreboard=30/22 wait=12/3": samples and those without an issue, by
                           reason */
};

struct line_kernel {
    char *key[5]; /* family, variant, size, block, sweep */
    unsigned launch;
    char *symbol, *name;
    int in_call; /* how many kernels the same launch, a library's call, ran before it */
    char samples_status[STATUS_BYTES]; /* "ok" or "absent: why" */
    double launches, period, total, dropped, elsewhere;
    char counts_status[STATUS_BYTES];
    int count, capacity;
    struct line_instruction *instruction; /* by pc / SASS_BYTES */
};

struct line_kernels {
    int count;
    struct line_kernel *kernel;
};

/* Adds the kernels of a file of "probe samples". FAIL_INPUT, said, when it is none. */
int line_kernels_add(struct line_kernels *kernels, const char *path);

/* Reads a file of "probe counts" into the kernel: it must be about the same. FAIL_INPUT, said. */
int line_kernel_counts(struct line_kernel *kernel, const char *path);

void line_kernels_free(struct line_kernels *kernels);

#endif
