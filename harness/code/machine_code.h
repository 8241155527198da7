/*
 * The machine code that this program carries, read from the cubins embedded in this executable: a
 * hash of each variant's kernels, so that a recorded run can tell whether it is still about the
 * same code, and how many instructions of some kinds a kernel has. Nothing is owned.
 */
#ifndef WHYFAST_MACHINE_CODE_H
#define WHYFAST_MACHINE_CODE_H

/* Hash of the machine code of all kernels of one source file ("kernels/reduce/01_x.cu") for an
 * architecture (90 for sm_90 and sm_90a): FNV-1a of the names and bytes of their .text sections,
 * 16 hexadecimal digits into `hash`. 1, or 0 with the reason: the executable cannot be read, or
 * carries no such code. The cubin of a file is known by its line table, which the Makefile
 * always has made, or by the name that nvcc puts in front of it. */
int sass_hash(const char *file, int architecture, char hash[17], char reason[120]);

/* Instructions of a kernel as they stand in the code, not as they are executed. */
struct sass_counts {
    unsigned shuffles;        /* SHFL */
    unsigned warp_reductions; /* REDUX */
    unsigned barriers;        /* BAR: of the block */
    unsigned float_adds;      /* FADD */
    int loop_barriers; /* BAR between a jump back and its target; -1 where the target of some jump
                          cannot be told */
};

/* Counts in the kernel of this mangled name, for the 128-bit instructions of compute capability
 * 7.0 and later. 1, or 0 when the executable carries no such kernel for the architecture. */
int sass_count(const char *kernel, int architecture, struct sass_counts *counts);

#endif
