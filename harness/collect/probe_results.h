/*
 * What probes found out about the instructions of kernels (collect/probe.h), read back from their
 * CSV and put together by kernel and pc. A struct probe_results owns all of it until
 * probe_results_free.
 */
#ifndef WHYFAST_PROBE_RESULTS_H
#define WHYFAST_PROBE_RESULTS_H

#include "base/text.h"
#include "collect/instruction_counts.h"

enum { SASS_BYTES = 16 /* of an instruction */, STATUS_BYTES = 256 };

struct line_instruction {
    int counted;
    double count[INSTRUCTION_COUNTS]; /* NAN where it does not apply */
    double samples, not_issued;
    struct text stalls; /* "long_scoreboard=30/22 wait=12/3": samples and those without an issue, by
                           reason */
};

struct probe_result {
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

struct probe_results {
    int count;
    struct probe_result *kernel;
};

/* Adds the kernels of a file of "probe samples". FAIL_INPUT, said, when it is none. */
int probe_results_add(struct probe_results *kernels, const char *path);

/* Reads a file of "probe counts" into the kernel: it must be about the same. FAIL_INPUT, said. */
int probe_result_counts(struct probe_result *kernel, const char *path);

void probe_results_free(struct probe_results *kernels);

#endif
