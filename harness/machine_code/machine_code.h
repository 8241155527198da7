/*
 * Reads the machine code in the cubins embedded in this executable: hashes each variant's kernels,
 * so that a recorded run can tell whether it is about the same code, and counts a kernel's
 * instructions of some kinds. Nothing is owned.
 */
#ifndef WHYFAST_MACHINE_CODE_H
#define WHYFAST_MACHINE_CODE_H

/* Hashes the machine code of all kernels of one source file ("kernels/reduce/01_x.cu") and its
 * units, which the program holds before it, or of grid.cu those that are templates of the variant's
 * factors, in their order, for an architecture (90 for sm_90 and sm_90a): FNV-1a of the names and
 * bytes of their .text sections, as 16 hexadecimal digits. Returns 1, or 0 with the reason if the
 * executable cannot be read or has no such code. */
int sass_hash(const char *file, const char *factors, int architecture, char hash[17],
              char reason[120]);

/* Instructions in the code of a kernel, executed or not. */
struct sass_counts {
    unsigned shuffles;        /* SHFL */
    unsigned warp_reductions; /* REDUX */
    unsigned barriers;        /* BAR: of the block */
    unsigned float_adds;      /* FADD */
    unsigned shared_stores;   /* STS */
    int loop_barriers; /* BAR between a jump back and its target; -1 if the target of some jump is
                          unknown */
};

/* Counts instructions of the kernel of this mangled name, which are 128 bits long since compute
 * capability 7.0. Returns 1, or 0 if the executable has no such kernel for the architecture. */
int sass_count(const char *kernel, int architecture, struct sass_counts *counts);

#endif
