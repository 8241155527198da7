#include "fleet/cpu_shares.h"

#include <stdio.h>
#include <string.h>

#include "gpu/nvml.h"

int cpu_shares_split(cpu_set_t *share, const cpu_set_t *near, int count)
{
    for (int i = 0; i < count; i++) {
        const int all = CPU_COUNT(&near[i]);
        int members = 0, place = 0, at = 0;
        for (int k = 0; k < count; k++) {
            if (!CPU_EQUAL(&near[i], &near[k])) continue;
            place += k < i;
            members++;
        }
        CPU_ZERO(&share[i]);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &near[i]) && at++ * members / all == place) CPU_SET(cpu, &share[i]);
        if (!CPU_COUNT(&share[i])) return 0;
    }
    return 1;
}

/* Reduces the set to the processors near to the device, if NVML tells some of them. */
static void keep_near(cpu_set_t *set, const struct nvml *nvml, const char *uuid)
{
    unsigned long bits[CPU_SETSIZE / (8 * sizeof(unsigned long))] = {0};
    const unsigned words = sizeof bits / sizeof *bits;
    void *device;
    cpu_set_t near;
    if (!nvml->by_uuid || !nvml->cpu_affinity || nvml->by_uuid(uuid, &device) ||
        nvml->cpu_affinity(device, words, bits))
        return;
    CPU_ZERO(&near);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (bits[cpu / (8 * (int)sizeof *bits)] >> cpu % (8 * (int)sizeof *bits) & 1)
            CPU_SET(cpu, &near);
    CPU_AND(&near, &near, set);
    if (CPU_COUNT(&near)) *set = near;
}

int cpu_shares_make(cpu_set_t *share, const struct device_choice *choice)
{
    char reason[NVML_REASON];
    cpu_set_t allowed;
    struct nvml nvml;
    enum { MOST = 256 };
    cpu_set_t near[MOST];
    if (choice->count > MOST || sched_getaffinity(0, sizeof allowed, &allowed)) return 0;
    const int has_nvml = !nvml_open(&nvml, reason);
    for (int i = 0; i < choice->count; i++) {
        near[i] = allowed;
        if (has_nvml) keep_near(&near[i], &nvml, choice->visible[i]);
    }
    if (has_nvml) nvml_close(&nvml);
    return cpu_shares_split(share, near, choice->count);
}

char *cpu_shares_text(const cpu_set_t *set, char *buffer, int size)
{
    int length = 0;
    buffer[0] = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && length < size; cpu++) {
        if (!CPU_ISSET(cpu, set)) continue;
        int last = cpu;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set)) last++;
        length += snprintf(buffer + length, (size_t)(size - length),
                           last > cpu ? "%s%d-%d" : "%s%d", length ? "," : "", cpu, last);
        cpu = last;
    }
    return buffer;
}
