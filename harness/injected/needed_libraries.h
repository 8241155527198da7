/*
 * Knows the shared libraries that the main program was linked with. Any thread may call it.
 */
#ifndef WHYFAST_INJECT_NEEDED_LIBRARIES_H
#define WHYFAST_INJECT_NEEDED_LIBRARIES_H

/* Returns 1 if the executable itself, not a library that it loads, was linked with a shared library
 * whose name begins with `prefix`. Source: the DT_NEEDED entries of its dynamic section. */
int program_needs(const char *prefix);

#endif
