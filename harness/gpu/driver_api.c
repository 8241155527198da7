#include "gpu/driver_api.h"

#include <cuda_runtime_api.h>
#include <string.h>

#include "base/message.h"

int driver_find(const char *name, unsigned version, void *pointer)
{
    void *address = NULL;
    enum cudaDriverEntryPointQueryResult found;
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found);
    if (status != cudaSuccess)
        return error(FAIL_GPU, "the driver's function %s is not available: %s", name,
                     cudaGetErrorString(status));
    if (!address)
        return error(FAIL_GPU, "the driver has no %s of CUDA %u.%u", name, version / 1000,
                     version % 1000 / 10);
    memcpy(pointer, &address, sizeof address); /* ISO C has no cast to a function pointer */
    return 0;
}

int driver_ok(CUresult status, const char *name)
{
    PFN_cuGetErrorString_v6000 get_text;
    const char *text = NULL;
    if (status == CUDA_SUCCESS) return 1;
    if (!driver_find("cuGetErrorString", 6000, &get_text)) get_text(status, &text);
    error(FAIL_GPU, "%s: %s (error %d)", name, text ? text : "unknown error", (int)status);
    return 0;
}
