/*
 * Loads a twin: a patched copy of a kernel's cubin, which exists in memory alone, with the values
 * of the variables of the original's module. Works with the functions of the driver that the caller
 * has found, in the current context. Nothing is owned; the caller unloads what it has loaded.
 */
#ifndef WHYFAST_TWIN_CODE_H
#define WHYFAST_TWIN_CODE_H

#include <cuda.h>

#include "knockout/twin.h"
#include "machine_code/cubin.h"

/* X(member, name of the function, its first version): what loading needs. */
#define TWIN_DRIVER(X)                                                                             \
    X(load, cuLibraryLoadData, 12000)                                                              \
    X(unload, cuLibraryUnload, 12000)                                                              \
    X(library_kernel, cuLibraryGetKernel, 12000)                                                   \
    X(library_global, cuLibraryGetGlobal, 12000)                                                   \
    X(function_module, cuFuncGetModule, 11000)                                                     \
    X(module_global, cuModuleGetGlobal, 3020)                                                      \
    X(copy, cuMemcpyDtoD, 3020)

struct twin_driver {
#define TWIN_DRIVER_MEMBER(member, function, version) __typeof__(function) *member;
    TWIN_DRIVER(TWIN_DRIVER_MEMBER)
};

/* The kernel that is copied. */
struct twin_original {
    const struct cubin *cubin;
    const char *symbol;
    CUfunction function;
};

/* Writes the patches into a copy of the kernel's code. */
void twin_apply(const struct twin *twin, unsigned char *code);

/* Calls `visit` with each variable of the original's module: a name and its memory. Returns 1, or 0
 * if `visit` or the driver fails. */
typedef int twin_visit(void *context, const char *name, CUdeviceptr from, size_t bytes);
int twin_variables(const struct twin_driver *driver, const struct twin_original *original,
                   twin_visit *visit, void *context);

/* Copies the variables of the original's module to a loaded copy. Returns 1, or 0 on failure. */
int twin_copy_variables(const struct twin_driver *driver, const struct twin_original *original,
                        CUlibrary library);

/* Returns 1 and the kernel of the loaded copy; 0 with a reason, without a message, on failure. */
int twin_load(const struct twin_driver *driver, const struct twin_original *original,
              const struct twin *twin, CUlibrary *library, CUkernel *kernel, const char **reason);

#endif
