#include "collect/cupti_preflight.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/text.h"
#include "collect/cupti.h"

/* CUPTI looks beside itself, then where the loader looks. A library that is loaded here stays
 * loaded: closing it would leak what it has allocated. */
static int is_there(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *beside = text_new("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
    const int found = slash && beside && access(beside, R_OK) == 0;
    free(beside);
    return found || dlopen(name, RTLD_LAZY | RTLD_LOCAL) != NULL;
}

int cupti_find(struct cupti_location *location, char reason[REASON_BYTES])
{
    static const char *const own[] = {"libnvperf_host.so", "libnvperf_target.so"};
    Dl_info info = {0};
    void *address = NULL;
    memset(location, 0, sizeof *location);
    struct cupti *cupti = cupti_load(reason);
    if (!cupti) return FAIL_GPU;
    memcpy(&address, &cupti->cuptiGetVersion, sizeof address);
    if (dladdr(address, &info) && info.dli_fname)
        snprintf(location->path, sizeof location->path, "%s", info.dli_fname);
    location->version = cupti_version(cupti);
    location->built_for = CUPTI_API_VERSION;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!*location->missing && !is_there(location->path, own[i]))
            snprintf(location->missing, sizeof location->missing, "%s", own[i]);
    cupti_close(cupti);
    return 0;
}

void cupti_unsupported(struct cupti *cupti, char reason[REASON_BYTES])
{
    static const struct {
        enum cupti_use use;
        const char *name;
    } uses[] = {{CUPTI_RANGES, "counters"},
                {CUPTI_INSTRUCTIONS, "counts per instruction"},
                {CUPTI_SAMPLES, "samples of instructions"},
                {CUPTI_OVER_TIME, "counters over time"}};
    size_t length = 0;
    *reason = 0;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        char why[REASON_BYTES];
        if (cupti_supported(cupti, uses[i].use, why)) continue;
        if (length < REASON_BYTES)
            length += (size_t)snprintf(reason + length, REASON_BYTES - length, "%s%s: %s",
                                       length ? "; " : "", uses[i].name, why);
    }
}
