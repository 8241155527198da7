/*
 * The machine code that this program carries: a hash of each variant's kernels, so that a recorded run can tell whether it is still about the
 * same code. Nothing is owned.
 */
#ifndef WHYFAST_SASS_H
#define WHYFAST_SASS_H

/* Hash of the machine code of all kernels of one source file ("kernels/reduce/01_x.cu") for an architecture (90 for sm_90 and sm_90a), read from
 * the cubins embedded in this executable: FNV-1a of the names and bytes of their .text sections, 16 hexadecimal digits into `hash`.
 * 1, or 0 with the reason: the executable cannot be read, or carries no such code. The cubin of a file is known by its line table, which
 * the Makefile always has made. */
int sass_hash(const char *file, int architecture, char hash[17], char reason[120]);

#endif
