/*
 * Reads the CSV of probes (collect/probe.c) and joins it by kernel and pc. A struct probe_results
 * owns all of it until probe_results_free.
 */
#ifndef WHYFAST_PROBE_RESULTS_H
#define WHYFAST_PROBE_RESULTS_H

#include "base/text.h"
#include "catalog/point_key.h"
#include "catalog/instruction_counts.h"
#include "machine_code/sass_text.h"

/* Totals of the samples of a launch: how often it ran, cycles of the period, and struct
 * sample_totals (collect/collector.h). The names are those of "probe samples". */
enum { PROBE_TOTALS = 5 };
extern const char *const probe_total_name[PROBE_TOTALS];

enum { STATUS_BYTES = 256 };

struct line_instruction {
    int counted;
    double count[INSTRUCTION_COUNTS]; /* NAN: does not apply */
    double samples, not_issued;
    struct text stalls; /* "long_scoreboard=30/22 wait=12/3": samples/not issued, by reason */
};

struct probe_result {
    struct point_key key;
    unsigned launch;
    char *symbol, *name;
    int in_call;  /* it is a later kernel of a launch, a library's call, and cannot be counted */
    int to_count; /* by a probe */
    int is_sampled_only;               /* its point is of another than the primary size */
    char samples_status[STATUS_BYTES]; /* "ok" or "absent: why" */
    double total[PROBE_TOTALS];
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

/* Adds a kernel of a point, whose cells are given, without samples and counts. Returns NULL, with a
 * message, if memory is short. */
struct probe_result *probe_results_new(struct probe_results *kernels, const char *const *point,
                                       const char *symbol, const char *name);

/* Add the samples of an instruction with one reason, by the cells pc, reason, samples and
 * not_issued, and its counts, by the cells symbol, pc and the counts. Return FAIL_INPUT, without a
 * message, for a pc that is none. */
int probe_result_samples(struct probe_result *kernel, char *const *cell);
int probe_result_count(struct probe_result *kernel, char *const *cell);

void probe_results_free(struct probe_results *kernels);

#endif
