/*
 * Tells whose code a kernel is, so that no machine code of a vendor's library is ever changed.
 *
 * A launch is traced back through the stack to the file of the first caller that is neither the
 * driver, the CUDA runtime nor CUPTI. Known are the program itself, a library that carries device
 * code of its own, Triton, CuPy and PyTorch; a file that is a vendor's library, or that holds one
 * that was linked statically, is refused, and so is any other.
 */
#ifndef WHYFAST_INJECT_CODE_ORIGIN_H
#define WHYFAST_INJECT_CODE_ORIGIN_H

enum { ORIGIN_REASON = 160 };

/* For a callback of a launch: returns 1 if the origin of the kernel is known and its code may be
 * copied and changed; 0 with a reason. `symbol` is its mangled name. */
int code_origin_is_known(const char *symbol, char reason[ORIGIN_REASON]);

/* The same for a file, which is the program itself or not. */
int code_origin_of_file(const char *path, int is_program, char reason[ORIGIN_REASON]);

#endif
