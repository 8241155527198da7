/*
 * Finds the functions of the driver that knock-outs need, in the copy that the program has loaded.
 */
#ifndef WHYFAST_INJECT_TWIN_FUNCTIONS_H
#define WHYFAST_INJECT_TWIN_FUNCTIONS_H

#include "knockout/twin_code.h"

/* X(member, name of the function) */
#define TWIN_FUNCTIONS(X)                                                                          \
    X(launch, cuLaunchKernelEx)                                                                    \
    X(kernel_function, cuKernelGetFunction)                                                        \
    X(attribute, cuFuncGetAttribute)                                                               \
    X(set_attribute, cuFuncSetAttribute)                                                           \
    X(parameter, cuFuncGetParamInfo)                                                               \
    X(error_text, cuGetErrorString)                                                                \
    X(synchronize, cuCtxSynchronize)                                                               \
    X(stream_create, cuStreamCreate)                                                               \
    X(stream_wait, cuStreamWaitValue32)                                                            \
    X(stream_query, cuStreamQuery)                                                                 \
    X(event_create, cuEventCreate)                                                                 \
    X(event_record, cuEventRecord)                                                                 \
    X(event_elapsed, cuEventElapsedTime)                                                           \
    X(host_allocate, cuMemHostAlloc)                                                               \
    X(host_address, cuMemHostGetDevicePointer)                                                     \
    X(allocate, cuMemAlloc)                                                                        \
    X(release, cuMemFree)                                                                          \
    X(free_bytes, cuMemGetInfo)                                                                    \
    X(device, cuCtxGetDevice)                                                                      \
    X(pointer, cuPointerGetAttribute)                                                              \
    X(range, cuMemGetAddressRange)                                                                 \
    X(copy_on, cuMemcpyDtoDAsync)

struct twin_functions {
    struct twin_driver loading;
#define TWIN_FUNCTIONS_MEMBER(member, function) __typeof__(function) *member;
    TWIN_FUNCTIONS(TWIN_FUNCTIONS_MEMBER)
};

/* Returns them, or NULL if the driver lacks one. */
const struct twin_functions *twin_functions(void);

#endif
