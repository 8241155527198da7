/*
 * Finds functions of the CUDA driver through the runtime, so that the program is not linked with
 * libcuda and starts without it. Nothing is owned.
 */
#ifndef WHYFAST_DRIVER_API_H
#define WHYFAST_DRIVER_API_H

#include <cuda.h>
#include <cudaTypedefs.h>

/* Puts the address of a driver function, as of that version of CUDA (12000 for 12.0), into the
 * function pointer at `pointer`. Returns FAIL_GPU, with a message, if the driver has none. */
int driver_find(const char *name, unsigned version, void *pointer);

/* Returns 1 if the call succeeded, else 0 with a message. */
int driver_ok(CUresult status, const char *name);

#endif
