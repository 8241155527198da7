#include "injected/twin_functions.h"

#include <dlfcn.h>
#include <string.h>

/* cuda.h renames functions to those of their latest version. */
#define NAME(function) NAME_OF(function)
#define NAME_OF(function) #function

const struct twin_functions *twin_functions(void)
{
    static struct twin_functions found;
    static int is_complete;
#define OF_LOADING(member, function, version) {NAME(function), &found.loading.member},
#define OF_OTHERS(member, function) {NAME(function), &found.member},
    const struct {
        const char *name;
        void *to;
    } wanted[] = {TWIN_DRIVER(OF_LOADING) TWIN_FUNCTIONS(OF_OTHERS)};
    void *library = is_complete ? NULL : dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && !is_complete; i++) {
        void *address = library ? dlsym(library, wanted[i].name) : NULL;
        if (!address) return NULL;
        memcpy(wanted[i].to, &address, sizeof address);
    }
    is_complete = 1;
    return &found;
}
