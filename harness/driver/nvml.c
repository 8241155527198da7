#include "driver/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char library[] = "libnvidia-ml.so.1";

/* ISO C has no cast from void * to a function pointer. */
#define NVML_LOAD(member, name, parameters)                                                        \
    {                                                                                              \
        void *address = dlsym(nvml->library, name);                                                \
        memcpy(&nvml->member, &address, sizeof address);                                           \
    }

int nvml_open(struct nvml *nvml, char reason[NVML_REASON])
{
    memset(nvml, 0, sizeof *nvml);
    snprintf(reason, NVML_REASON, "%s cannot be used", library);
    nvml->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library) return -1;
    NVML_FUNCTIONS(NVML_LOAD)
    const int status = nvml->init && nvml->shutdown ? nvml->init() : -1;
    if (status == NVML_DONE) return NVML_DONE;
    if (status > 0) snprintf(reason, NVML_REASON, "%s cannot be used: error %d", library, status);
    dlclose(nvml->library);
    memset(nvml, 0, sizeof *nvml);
    return status;
}

void nvml_close(struct nvml *nvml)
{
    if (!nvml->library) return;
    nvml->shutdown();
    dlclose(nvml->library);
    memset(nvml, 0, sizeof *nvml);
}

/* The bits of nvmlClocksEventReasons; `slows` if the reason makes a measurement slower. */
static const struct {
    unsigned long long bit;
    const char *words;
    int slows;
} clock_reasons[] = {
    {0x001, "idle", 0},
    {0x002, "clocks set for applications", 1},
    {0x004, "power cap", 1},
    {0x008, "hardware slowdown", 1},
    {0x010, "sync boost with other GPUs", 1},
    {0x020, "thermal slowdown by software", 1},
    {0x040, "thermal slowdown by hardware", 1},
    {0x080, "power brake from outside", 1},
    {0x100, "clocks set for the display", 1},
};

unsigned long long nvml_clock_words(struct text *words, unsigned long long reasons)
{
    unsigned long long slowing = 0, known = 0;
    for (size_t i = 0; i < sizeof clock_reasons / sizeof *clock_reasons; i++) {
        known |= clock_reasons[i].bit;
        if (!(reasons & clock_reasons[i].bit)) continue;
        text_format(words, "%s%s", words->length ? ", " : "", clock_reasons[i].words);
        if (clock_reasons[i].slows) slowing |= clock_reasons[i].bit;
    }
    if (reasons & ~known)
        text_format(words, "%sunknown reasons 0x%llx", words->length ? ", " : "", reasons & ~known);
    return slowing | (reasons & ~known);
}
