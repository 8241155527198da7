/*
 * Names what is counted of single instructions, and what is sampled of them. Needs no CUPTI.
 */
#ifndef WHYFAST_INSTRUCTION_COUNTS_H
#define WHYFAST_INSTRUCTION_COUNTS_H

#include <stdint.h>

/* The names are columns of lines.csv. */
enum instruction_count {
    COUNT_EXECUTED,           /* by warps */
    COUNT_THREADS,            /* by threads: active lanes */
    COUNT_THREADS_ON,         /* those that were not predicated off */
    COUNT_BRANCHES_UNIFORM,   /* branch targets that all active threads took */
    COUNT_BRANCHES_DIVERGENT, /* branch targets that only some took */
    COUNT_SHARED_WAVEFRONTS,  /* cycles of the data stage of shared memory, by the addresses */
    COUNT_SHARED_IDEAL,       /* the same without conflicts */
    COUNT_GLOBAL_SECTORS,     /* 32-byte sectors of global memory */
    COUNT_GLOBAL_IDEAL,       /* the same if threads asked for neighbouring data */
    COUNT_LOCAL_SECTORS,      /* 32-byte sectors of local memory: spills and arrays of threads */
    INSTRUCTION_COUNTS
};

extern const char *const instruction_count_name[INSTRUCTION_COUNTS];

/* All samples at one instruction with one reason. The strings are the sampler's. */
struct stall {
    const char *function;
    uint64_t cubin; /* check sum */
    unsigned pc;
    const char *reason; /* "long_scoreboard", "selected" (the warp issued), … */
    uint64_t samples;
    uint64_t not_issued; /* samples in cycles in which the scheduler issued nothing */
};

typedef void stall_visitor(void *context, const struct stall *stall);

struct sample_totals {
    uint64_t total;     /* the sampler's own count */
    uint64_t dropped;   /* lost because the hardware could not write them fast enough */
    uint64_t elsewhere; /* in other kernels, also of other programs */
};

#endif
