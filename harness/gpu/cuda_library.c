#include "gpu/cuda_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "version.h"

void *cuda_library_open(const char *name, int flags)
{
    void *library = dlopen(name, flags);
    for (const char *from = WHYFAST_CUDA_LIBRARY_DIRS; !library && *from; from += *from == ':') {
        char path[4096];
        const int length = (int)strcspn(from, ":");
        if (snprintf(path, sizeof path, "%.*s/%s", length, from, name) < (int)sizeof path)
            library = dlopen(path, flags);
        from += length;
    }
    return library;
}
