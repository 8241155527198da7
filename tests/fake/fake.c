/*
 * Plants faults, counts open objects, and keeps the clock (fake.h). Words of FAKE_STATE used here:
 * killed_probes, silent_probes.
 */
#include "fake.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    FAULTS = 8,
    NAMES = 160,
    KINDS = 24,
    MISUSES = 16,
    DEFAULT_STATUS = 999 /* means "unknown" for CUDA, CUPTI and NVML alike */
};

static struct fault {
    char name[64];
    long at;
    int for_good, status;
} faults[FAULTS];
static int fault_count;

static struct count {
    char name[64]; /* a copy, because libraries may be unloaded */
    long value;
} calls[NAMES], held[KINDS];

static char *misuses[MISUSES];
static long all_calls;
static int misuse_count;
static int is_probe;
static uint64_t clock_ns = 1000000000u, real_base_ns;

/* ---- devices --------------------------------------------------------------------------------- */

int fake_all_devices(void)
{
    const char *told = getenv("FAKE_DEVICES");
    return told ? atoi(told) : 1;
}

/* Which device an entry of CUDA_VISIBLE_DEVICES names, or -1. */
static int device_named(const char *entry)
{
    char uuid[48];
    const size_t length = strcspn(entry, ",");
    if (*entry >= '0' && *entry <= '9') return atoi(entry) < fake_all_devices() ? atoi(entry) : -1;
    for (int i = 0; i < fake_all_devices() && length >= 4; i++) {
        snprintf(uuid, sizeof uuid, "GPU-" FAKE_UUID, i);
        if (!strncmp(uuid, entry, length)) return i;
        for (int slice = FAKE_SLICE(i); fake_state("mig") && slice < FAKE_SLICE(i) + 2; slice++) {
            snprintf(uuid, sizeof uuid, "MIG-" FAKE_UUID, slice);
            if (!strncmp(uuid, entry, length)) return slice;
        }
    }
    return -1;
}

/* CUDA sees the entries before the first that names no device. */
int fake_device(int index)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (!visible || !getenv("FAKE_DEVICES")) return index < fake_all_devices() ? index : -1;
    for (int i = 0; *visible; i++) {
        const int device = device_named(visible);
        if (device < 0 || i == index) return device;
        visible += strcspn(visible, ",");
        visible += *visible == ',';
    }
    return -1;
}

int fake_devices(void)
{
    int count = 0;
    while (fake_device(count) >= 0) count++;
    return count;
}

int fake_device_state(const char *word)
{
    char name[48];
    snprintf(name, sizeof name, "%s_%d", word, fake_device(0));
    return fake_state(name);
}

/* ---- the clock ------------------------------------------------------------------------------- */

/* The cost of reading the clock, and on a slow host. */
static const uint64_t LOOK_NS = 300, SLOW_LOOK_NS = 20000000000u;

uint64_t fake_now(void)
{
    return clock_ns;
}

void fake_advance(uint64_t ns)
{
    clock_ns += ns;
}

static uint64_t real_ns(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* These replace the C library's functions: times that the program measures on the host use the
 * device's clock, and waiting takes no real time. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)
        return (int)syscall(SYS_clock_gettime, clock, now);
    if (!real_base_ns) real_base_ns = real_ns() - clock_ns;
    clock_ns += fake_state("slow_host") ? SLOW_LOOK_NS : LOOK_NS;
    const uint64_t ns = clock == CLOCK_REALTIME ? real_base_ns + clock_ns : clock_ns;
    now->tv_sec = (time_t)(ns / 1000000000u);
    now->tv_nsec = (long)(ns % 1000000000u);
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    clock_ns += (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
    if (left) memset(left, 0, sizeof *left);
    return 0;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static struct count *count_of(struct count *list, int most, const char *name)
{
    int i = 0;
    while (i < most && *list[i].name && strcmp(list[i].name, name)) i++;
    if (i == most) abort();
    snprintf(list[i].name, sizeof list[i].name, "%s", name);
    return &list[i];
}

int fake_call(const char *name)
{
    struct count *count = count_of(calls, NAMES, name);
    count->value++;
    all_calls++;
    for (int i = 0; i < fault_count; i++) {
        const int any = !strcmp(faults[i].name, "*");
        const long now = any ? all_calls : count->value;
        if (!any && strcmp(faults[i].name, name)) continue;
        if (now == faults[i].at || (faults[i].for_good && now > faults[i].at))
            return faults[i].status;
    }
    return 0;
}

int fake_state(const char *word)
{
    const char *states = getenv("FAKE_STATE");
    const size_t length = strlen(word);
    for (const char *p = states; p && *p; p += strspn(p, " ")) {
        const size_t part = strcspn(p, " ");
        if (part == length && !strncmp(p, word, length)) return 1;
        p += part;
    }
    return 0;
}

/* "[probe/]CALL:N[+][:STATUS]" */
static void plant(const char *word, size_t length)
{
    static const char of_probes[] = "probe/";
    char text[128];
    struct fault *fault = &faults[fault_count];
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    const int for_probes = !strncmp(text, of_probes, strlen(of_probes));
    if (for_probes != is_probe || fault_count == FAULTS) return;
    char *name = text + (for_probes ? strlen(of_probes) : 0), *rest = strchr(name, ':');
    if (!rest) abort();
    *rest++ = 0;
    snprintf(fault->name, sizeof fault->name, "%s", name);
    fault->at = strtol(rest, &rest, 10);
    fault->for_good = *rest == '+';
    rest += fault->for_good;
    fault->status = *rest == ':' ? (int)strtol(rest + 1, NULL, 10) : DEFAULT_STATUS;
    fault_count++;
}

/* ---- open objects ---------------------------------------------------------------------------- */

void fake_misuse(const char *what)
{
    if (misuse_count < MISUSES) misuses[misuse_count++] = strdup(what);
}

void fake_held(const char *kind, int change)
{
    struct count *count = count_of(held, KINDS, kind);
    count->value += change;
    if (count->value >= 0) return;
    fake_misuse(kind);
    count->value = 0;
}

static void end(void)
{
    const char *path = getenv("FAKE_LOG"), *process = is_probe ? "probe" : "main";
    FILE *file = path && *path ? fopen(path, "a") : NULL;
    if (file) fprintf(file, "%s calls %ld\n", process, all_calls);
    for (int i = 0; file && i < NAMES && *calls[i].name; i++)
        fprintf(file, "%s call %s %ld\n", process, calls[i].name, calls[i].value);
    for (int i = 0; file && i < KINDS && *held[i].name; i++)
        if (held[i].value) fprintf(file, "%s left %s %ld\n", process, held[i].name, held[i].value);
    for (int i = 0; i < misuse_count; i++) {
        if (file) fprintf(file, "%s misuse %s\n", process, misuses[i]);
        free(misuses[i]);
    }
    if (file) fclose(file);
}

__attribute__((constructor)) static void begin(int count, char **words)
{
    const char *told = getenv("FAKE_FAIL");
    is_probe = count > 1 && !strcmp(words[1], "probe");
    if (is_probe && fake_state("killed_probes")) raise(SIGKILL);
    if (is_probe && fake_state("silent_probes")) _exit(77);
    for (const char *p = told; p && *p; p += strspn(p, " ")) {
        const size_t length = strcspn(p, " ");
        if (length) plant(p, length);
        p += length;
    }
    atexit(end);
}
