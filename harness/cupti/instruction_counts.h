/*
 * Names what is counted of single instructions. Needs no CUPTI.
 */
#ifndef WHYFAST_INSTRUCTION_COUNTS_H
#define WHYFAST_INSTRUCTION_COUNTS_H

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

#endif
