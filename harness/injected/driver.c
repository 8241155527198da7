/*
 * Finds the functions of the driver in the copy that the program has loaded.
 */
#include <dlfcn.h>
#include <string.h>

#include "injected/watch.h"

struct driver driver;

int driver_load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    const struct {
        const char *name;
        void *to;
    } wanted[] = {
        {"cuCtxGetCurrent", &driver.current},
        {"cuCtxSetCurrent", &driver.set_current},
        {"cuCtxSynchronize", &driver.synchronize},
        {"cuStreamIsCapturing", &driver.is_capturing},
        {"cuFuncGetAttribute", &driver.function_attribute},
        {"cuKernelGetFunction", &driver.kernel_function},
        {"cuOccupancyMaxActiveBlocksPerMultiprocessor", &driver.occupancy},
        {"cuDriverGetVersion", &driver.version},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *address = library ? dlsym(library, wanted[i].name) : NULL;
        if (!address) return 0;
        memcpy(wanted[i].to, &address, sizeof address);
    }
    return 1;
}
