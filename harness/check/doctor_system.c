/*
 * The checks that ask the system: who may read counters, who else looks at this process, how much
 * memory there is.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "catalog/registry.h"
#include "gpu/verify.h"
#include "check/counter_permissions.h"
#include "check/doctor.h"
#include "gpu/other_profilers.h"

static const char driver_parameters[] = "/proc/driver/nvidia/params",
                  own_status[] = "/proc/self/status";

/* ---- permissions ----------------------------------------------------------------------------- */

static long driver_major(const struct patient *patient)
{
    char version[96] = "";
    if (patient->nvml.driver && patient->nvml.driver(version, sizeof version)) return 0;
    return strtol(version, NULL, 10);
}

void check_permissions(struct patient *patient, struct finding *finding)
{
    uint64_t capabilities = 0;
    const int known = permissions_capabilities(own_status, &capabilities);
    const int admin_only = permissions_admin_only(driver_parameters);
    const char *container = permissions_container("");
    const char *fix =
        container ? "start the container with --cap-add=SYS_ADMIN, or let everybody read them on "
                    "the host: NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module"
                  : "run as root, or have root set NVreg_RestrictProfilingToAdminUsers=0 for the "
                    "nvidia module";
    char who[96];
    snprintf(who, sizeof who, "uid %ld%s%s%s", (long)geteuid(),
             known ? "" : ", capabilities not told", container ? ", in a container of " : "",
             container ? container : "");
    switch (permissions_judge(admin_only, capabilities, driver_major(patient))) {
    case PERMITTED_ALL:
        finding_set(finding, CHECK_OK, NULL, "everybody may read counters (%s)", who);
        break;
    case PERMITTED_ADMIN:
        if (admin_only < 0 && !patient->device)
            finding_set(finding, CHECK_SKIPPED, NULL,
                        "no GPU: the driver's parameters cannot be asked (%s, with CAP_SYS_ADMIN)",
                        who);
        else
            finding_set(finding, CHECK_OK, NULL,
                        "administrators may read counters, and this process is one (%s, with "
                        "CAP_SYS_ADMIN)",
                        who);
        break;
    case PERMITTED_PERFMON:
        finding_set(
            finding, CHECK_OK, NULL,
            "administrators may read counters, and so may this process (%s, with CAP_PERFMON)",
            who);
        break;
    case PERMISSION_REFUSED:
        finding_set(finding, CHECK_BAD, fix,
                    "counters are for administrators, and this process is none (%s)", who);
        break;
    case PERMISSION_UNKNOWN:
        if (!patient->device)
            finding_set(finding, CHECK_SKIPPED, NULL,
                        "no GPU: the driver's parameters cannot be asked (%s)", who);
        else
            finding_set(finding, CHECK_NOTE, fix, "%s does not tell who may read counters (%s)",
                        driver_parameters, who);
        break;
    }
}

void check_wsl(struct patient *patient, struct finding *finding)
{
    char *release = text_read_file("/proc/sys/kernel/osrelease", NULL);
    (void)patient;
    if (!release)
        finding_set(finding, CHECK_SKIPPED, NULL, "the kernel does not tell its release");
    else if (strcasestr(release, "microsoft"))
        finding_set(finding, CHECK_NOTE,
                    "allow it in the control panel of NVIDIA on Windows 11: developer settings, "
                    "GPU performance counters",
                    "this is WSL: counters need Windows to allow them");
    else
        finding_set(finding, CHECK_OK, NULL, "not WSL");
    free(release);
}

/* ---- other profilers ------------------------------------------------------------------------- */

static void append_variable(struct text *words, const char *what, const char *variable)
{
    const char *value = getenv(variable);
    if (value && *value)
        text_format(words, "%s%s (%s=%s)", words->length ? ", " : "", what, variable, value);
}

/* The debugger that has this process in hand. */
static void append_tracer(struct text *words)
{
    long tracer = 0;
    char path[48];
    if (!permissions_number(own_status, "TracerPid", &tracer) || tracer == 0) return;
    snprintf(path, sizeof path, "/proc/%ld/comm", tracer);
    char *name = text_read_file(path, NULL);
    if (name) name[strcspn(name, "\n")] = 0;
    text_format(words, "%sthe debugger %s (process %ld)", words->length ? ", " : "",
                name ? name : "", tracer);
    free(name);
}

void check_profilers(struct patient *patient, struct finding *finding)
{
    struct text words = {0};
    (void)patient;
    for (const struct other_profilers_tool *tool = other_profilers_next(NULL); tool;
         tool = other_profilers_next(tool))
        append_variable(&words, tool->name, tool->variable);
    append_variable(&words, "a listener to NVTX", "NVTX_INJECTION64_PATH");
    append_variable(&words, "preloaded libraries", "LD_PRELOAD");
    append_tracer(&words);
    if (words.length)
        finding_set(
            finding, CHECK_NOTE,
            "run without them for clean times and counters; times and ranges are there in any case",
            "this process does not run by itself: %s", text_string(&words));
    else
        finding_set(finding, CHECK_OK, NULL, "none in this process, by its environment");
    text_free(&words);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Of one problem: what gpu/workbench.h allocates. The library's workspace and the buffers that
 * flush the L2 cache are small beside it. */
static struct needed_memory needed_for(const struct family *family, const struct shape *shape)
{
    double input = 0;
    const double output = (double)family->output_bytes(shape),
                 scratch = (double)family_scratch_bytes(family, shape);
    for (int i = 0; i < family->input_count; i++) input += (double)family->input_bytes(shape, i);
    return (struct needed_memory){
        input + output + scratch,
        input + output + (double)reference_bytes(family, (size_t)output)};
}

struct needed_memory doctor_needed_memory(void)
{
    struct needed_memory most = {0};
    for (int f = 0; registry_families[f]; f++) {
        const struct family *family = registry_families[f];
        struct shape shape;
        for (int s = 0; family->sizes[s]; s++) {
            if (shape_parse(&shape, family->sizes[s], family->rank)) continue;
            const struct needed_memory one = needed_for(family, &shape);
            if (one.device > most.device) most.device = one.device;
            if (one.host > most.host) most.host = one.host;
        }
    }
    return most;
}

void check_host_memory(struct patient *patient, struct finding *finding)
{
    const double giga = 1e9, needed = doctor_needed_memory().host;
    long available = 0;
    (void)patient;
    if (!permissions_number("/proc/meminfo", "MemAvailable", &available))
        finding_set(finding, CHECK_SKIPPED, NULL, "the kernel does not tell how much is free");
    else if (1024.0 * (double)available < needed)
        finding_set(finding, CHECK_NOTE, "measure smaller sizes (--size)",
                    "%.3g GB are free, of %.3g GB that the default sizes need",
                    1024.0 * (double)available / giga, needed / giga);
    else
        finding_set(finding, CHECK_OK, NULL, "%.3g GB are free; the default sizes need %.3g GB",
                    1024.0 * (double)available / giga, needed / giga);
}
