/*
 * The CUDA driver's own functions, asked of the runtime, so that libcuda need not be linked and the
 * program starts without it. Nothing is owned.
 */
#ifndef WHYFAST_DRIVER_API_H
#define WHYFAST_DRIVER_API_H

#include <cuda.h>
#include <cudaTypedefs.h>

/* Puts the address of a driver function, as it was in that version of CUDA (12000 for 12.0),
 * into the function pointer at `pointer`. 0, or FAIL_GPU, said. */
int driver_find(const char *name, unsigned version, void *pointer);

/* 1 when the call succeeded; else says which one failed and why, and is 0. */
int driver_ok(CUresult status, const char *name);

#endif
