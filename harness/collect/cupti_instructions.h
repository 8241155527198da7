/*
 * Counts and samples single instructions: how often each ran (CUPTI's SASS metrics, which patch the
 * kernel's code so that it counts), and what warps waited for at it (CUPTI's samples of the program
 * counter). A struct counted_kernel and a struct pc_sampler own what they point to until they are
 * freed or closed. CUPTI's headers are included in cupti*.c only.
 *
 * CUPTI 13.0 has two peculiarities, found by trying on an H200:
 *   - A process configures the SASS metrics once (the next time is "out of memory", after every
 * kind of clean-up), and only the function that is launched first under them is counted. So a
 * process counts one kernel, and collect/probe.c is a process for it.
 *   - The sampler must exist before the kernels' modules are loaded, else it counts their samples
 * as those of other programs.
 */
#ifndef WHYFAST_CUPTI_INSTRUCTIONS_H
#define WHYFAST_CUPTI_INSTRUCTIONS_H

#include <stdint.h>

#include "collect/collector.h"
#include "collect/probe_results.h"

struct counted_instruction {
    unsigned pc;                      /* bytes from the start of the kernel */
    double count[INSTRUCTION_COUNTS]; /* NAN: does not apply */
};

struct counted_kernel {
    char *symbol;
    int count;
    struct counted_instruction *instruction; /* by pc */
};

/* Queues launches. Returns FAIL_GPU on failure. */
struct launcher {
    int (*launch)(void *context);
    void *context;
};

/* Counts at the instructions of the first kernel that the launcher queues; once in a process.
 * Returns FAIL_GPU with the reason if CUPTI refuses. */
int instructions_count(struct cupti *cupti, const struct launcher *launcher,
                       struct counted_kernel *kernel, char reason[REASON_BYTES]);
void counted_kernel_free(struct counted_kernel *kernel);

/* All samples at one instruction with one reason. The string is the sampler's. */
struct pc_samples {
    unsigned pc;
    const char *reason; /* "long_scoreboard", "selected" (the warp issued), … */
    uint64_t samples;
    uint64_t not_issued; /* those in whose cycle the scheduler issued nothing */
};

struct sample_totals {
    uint64_t total;     /* the sampler's own count */
    uint64_t dropped;   /* lost because the hardware could not write them fast enough */
    uint64_t elsewhere; /* in other kernels, also of other programs */
};

struct pc_sampler;

/* Opens the sampler. Returns FAIL_GPU with the reason if it is unavailable. */
int pc_sampler_open(struct pc_sampler **sampler, struct cupti *cupti, char reason[REASON_BYTES]);
void pc_sampler_close(struct pc_sampler *sampler);

/* Samples the SMs every 2^exponent cycles (5 to 31) from now on. Returns FAIL_GPU with the reason
 * on failure. */
int pc_sampler_period(struct pc_sampler *sampler, unsigned exponent, char reason[REASON_BYTES]);

/* Forgets all samples. From now on those of the kernel `symbol`, which is borrowed, are kept. */
void pc_sampler_clear(struct pc_sampler *sampler, const char *symbol);

/* Samples the launches that the launcher queues and adds these samples to those before. Returns
 * FAIL_GPU with the reason if CUPTI refuses. */
int pc_sampler_add(struct pc_sampler *sampler, const struct launcher *launcher,
                   char reason[REASON_BYTES]);

/* Visits the samples by instruction. Stops at the first visit that does not return 0,
 * and returns its result. */
typedef int pc_samples_visitor(void *context, const struct pc_samples *samples);
int pc_sampler_each(const struct pc_sampler *sampler, pc_samples_visitor *visit, void *context);
struct sample_totals pc_sampler_totals(const struct pc_sampler *sampler);

#endif
