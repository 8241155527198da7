/*
 * Reads the CSV of probes (collect/probe.h) and joins it by kernel and pc. A struct probe_results
 * owns all of it until probe_results_free.
 */
#ifndef WHYFAST_PROBE_RESULTS_H
#define WHYFAST_PROBE_RESULTS_H

#include "base/text.h"
#include "collect/instruction_counts.h"

enum { SASS_BYTES = 16 /* of an instruction */, STATUS_BYTES = 256, KEYS = 5 };

struct line_instruction {
    int counted;
    double count[INSTRUCTION_COUNTS]; /* NAN: does not apply */
    double samples, not_issued;
    struct text stalls; /* "long_scoreboard=30/22 wait=12/3": samples/not issued, by reason */
};

struct probe_result {
    char *key[KEYS]; /* family, variant, size, block, sweep */
    unsigned launch;
    char *symbol, *name;
    int in_call; /* kernels that the same launch, a library's call, ran before it */
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

/* Adds the kernels of a file of "probe samples". Returns FAIL_INPUT, with a message, for a damaged
 * file. */
int probe_results_add(struct probe_results *kernels, const char *path);

/* Reads a file of "probe counts" into the kernel, whose counts are absent if the file is about
 * another. Returns FAIL_INPUT, with a message, for a damaged file. */
int probe_result_counts(struct probe_result *kernel, const char *path);

void probe_results_free(struct probe_results *kernels);

#endif
