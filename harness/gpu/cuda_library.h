/*
 * Loads a library of the CUDA toolkit. It stays loaded until the process ends.
 */
#ifndef WHYFAST_CUDA_LIBRARY_H
#define WHYFAST_CUDA_LIBRARY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Looks for the library by name, then in the toolkit that the program was built with; `flags` are
 * those of dlopen. Returns its handle, or NULL if it cannot be loaded. */
void *cuda_library_open(const char *name, int flags);

#ifdef __cplusplus
}
#endif
#endif
