/*
 * The checks that ask the driver through NVML for conditions that disturb times or prevent
 * counters. They need no CUDA.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"

enum { LEAST_DRIVER = 580, CUDA_13 = 13000, MARGIN_CELSIUS = 5, MOST_PROCESSES = 64 };

/* Calls a function of NVML; -1 if NVML lacks it. */
#define ASK(function, ...) (patient->nvml.function ? patient->nvml.function(__VA_ARGS__) : -1)

/* The same about the GPU. Returns 1, or 0 with a finding if there is no answer. */
#define ANSWERED(what, function, ...)                                                              \
    (has_device(patient, finding) &&                                                               \
     !failed(finding, ASK(function, patient->device, __VA_ARGS__), what))

static int has_device(const struct patient *patient, struct finding *finding)
{
    if (!patient->device) finding_skip(finding, "no GPU (%s)", patient->no_device);
    return patient->device != NULL;
}

/* Returns 1, with a finding, if NVML answered with an error. */
static int failed(struct finding *finding, int status, const char *what)
{
    if (status == NVML_NOT_SUPPORTED)
        finding_ok(finding, "this GPU has no %s", what);
    else if (status < 0)
        finding_skip(finding, "NVML of this driver has no function for %s", what);
    else if (status)
        finding_skip(finding, "NVML does not report the %s (error %d)", what, status);
    return status != 0;
}

/* ---- the driver ------------------------------------------------------------------------------ */

static void no_driver(const struct patient *patient, struct finding *finding)
{
    const int loaded = access("/proc/driver/nvidia/version", F_OK) == 0;
    if (patient->nvml_status == NVML_MISMATCH)
        finding_set(finding, CHECK_BAD, "reboot, or load the kernel module again",
                    "the driver's kernel module and its libraries are of different versions");
    else if (loaded)
        finding_set(finding, CHECK_BAD,
                    "install the driver's libraries; start a container with --gpus all",
                    "the kernel module is loaded, but %s", patient->no_nvml);
    else
        finding_set(finding, CHECK_NOTE,
                    "to measure, install NVIDIA's driver R580 or later; start a container with "
                    "--gpus all",
                    "no NVIDIA driver: only recorded runs can be replayed");
}

DOCTOR_CHECK(check_driver)
{
    char version[96] = "";
    if (patient->nvml_status) {
        no_driver(patient, finding);
        return;
    }
    if (failed(finding, ASK(driver, version, sizeof version), "driver version")) return;
    const long major = strtol(version, NULL, 10);
    if (major <= 0)
        finding_skip(finding, "the driver version '%s' is not a number", version);
    else if (major >= LEAST_DRIVER)
        finding_ok(finding, "%s", version);
    else if (patient->cuda_driver >= CUDA_13)
        finding_set(finding, CHECK_NOTE, "R580 or later needs no such package",
                    "%s, which supports CUDA 13 through a compatibility package", version);
    else
        finding_set(finding, CHECK_BAD, "CUDA 13 needs R580 or later: update the driver",
                    "%s is too old", version);
}

/* ---- how the GPU is shared ------------------------------------------------------------------- */

DOCTOR_CHECK(check_mig)
{
    unsigned current = 0, pending = 0;
    if (!ANSWERED("MIG", mig, &current, &pending)) return;
    if (current)
        finding_set(finding, CHECK_NOTE, "measure a whole GPU: nvidia-smi -mig 0",
                    "MIG is on: counters of the shared L2 and DRAM may be absent");
    else if (pending)
        finding_set(finding, CHECK_NOTE, NULL, "MIG is off, and will be on after the next reset");
    else
        finding_ok(finding, "MIG is off");
}

DOCTOR_CHECK(check_virtualization)
{
    enum { NONE, PASSTHROUGH, VGPU, HOST_VGPU };
    int mode = 0;
    if (!ANSWERED("virtualization", virtualization, &mode)) return;
    if (mode == VGPU)
        finding_set(finding, CHECK_NOTE,
                    "counters need the plugin's parameter enable_profiling=1, which the host sets",
                    "this is a virtual GPU: others on the same board disturb its times");
    else if (mode >= HOST_VGPU)
        finding_set(finding, CHECK_NOTE, NULL, "this GPU hosts virtual GPUs, which disturb times");
    else
        finding_ok(finding, mode == PASSTHROUGH ? "a whole GPU, passed through to this machine"
                                                : "not a virtual GPU");
}

DOCTOR_CHECK(check_compute_mode)
{
    enum { DEFAULT, EXCLUSIVE_THREAD, PROHIBITED, EXCLUSIVE_PROCESS };
    int mode = DEFAULT;
    if (!ANSWERED("compute mode", compute_mode, &mode)) return;
    if (mode == PROHIBITED)
        finding_set(finding, CHECK_BAD, "nvidia-smi -c 0", "no program may compute on this GPU");
    else if (mode != DEFAULT)
        finding_set(
            finding, CHECK_NOTE, "nvidia-smi -c 0",
            "only one process may use this GPU: counts of lines need more, and will be absent");
    else
        finding_ok(finding, "several processes may use the GPU");
}

/* Appends "4711 (python3)". */
static void append_process(struct text *words, unsigned pid)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%u/comm", pid);
    char *name = text_read_file(path, NULL);
    if (name) name[strcspn(name, "\n")] = 0;
    text_format(words, "%s%u", words->length ? ", " : "", pid);
    if (name) text_format(words, " (%s)", name);
    free(name);
}

DOCTOR_CHECK(check_processes)
{
    struct nvml_process process[MOST_PROCESSES];
    unsigned count = MOST_PROCESSES, others = 0;
    struct text words = {0};
    if (!has_device(patient, finding)) return;
    const int status = ASK(processes, patient->device, &count, process);
    if (status != NVML_TOO_SMALL && failed(finding, status, "list of processes")) return;
    for (unsigned i = 0; i < count && i < MOST_PROCESSES && !status; i++) {
        if (process[i].pid == (unsigned)getpid()) continue;
        others++;
        if (others <= 4) append_process(&words, process[i].pid);
    }
    if (status)
        finding_set(finding, CHECK_NOTE, "end them before measuring",
                    "more than %d other programs compute on this GPU and disturb times",
                    MOST_PROCESSES);
    else if (others)
        finding_set(finding, CHECK_NOTE, "end them before measuring",
                    "%u other %s on this GPU, which disturbs times: %s%s", others,
                    others == 1 ? "program computes" : "programs compute", text_string(&words),
                    others > 4 ? ", ..." : "");
    else
        finding_ok(finding, "no other program computes on this GPU");
    text_free(&words);
}

/* ---- how fast it runs ------------------------------------------------------------------------ */

/* "SM 345 of 1980 MHz" */
static void append_clock(const struct patient *patient, struct text *words, const char *name,
                         int which)
{
    unsigned now = 0, most = 0;
    if (ASK(clock, patient->device, which, &now)) return;
    text_format(words, "%s%s %u", words->length ? ", " : "", name, now);
    if (!ASK(most_clock, patient->device, which, &most)) text_format(words, " of %u", most);
    text_append(words, " MHz");
}

DOCTOR_CHECK(check_clocks)
{
    unsigned long long reasons = 0;
    struct text words = {0}, why = {0};
    if (!has_device(patient, finding)) return;
    append_clock(patient, &words, "SM", NVML_CLOCK_SM);
    append_clock(patient, &words, "memory", NVML_CLOCK_MEMORY);
    const int status = ASK(clock_reasons, patient->device, &reasons);
    const unsigned long long slowing = nvml_clock_words(&why, reasons);
    if (status && words.length)
        finding_ok(finding, "%s; the limiting reason is unknown", text_string(&words));
    else if (status)
        failed(finding, status, "clocks");
    else if (slowing)
        finding_set(
            finding, CHECK_NOTE,
            "samples at a lower clock are set aside, but all samples may be slow: find the cause "
            "before comparing with other runs",
            "%s%slimited by %s", text_string(&words), words.length ? ", " : "", text_string(&why));
    else
        finding_ok(finding, "%s%s%s", text_string(&words), words.length ? ", " : "",
                   why.length ? text_string(&why) : "not limited");
    text_free(&words);
    text_free(&why);
}

DOCTOR_CHECK(check_temperature)
{
    unsigned now = 0, limit = 0;
    if (!ANSWERED("temperature", temperature, 0, &now)) return;
    if (ASK(temperature_limit, patient->device, NVML_SLOWDOWN, &limit) || !limit)
        finding_ok(finding, "%u C; the slow-down temperature is unknown", now);
    else if (now + MARGIN_CELSIUS >= limit)
        finding_set(finding, CHECK_NOTE, "let it cool down, or improve its cooling",
                    "%u C; it slows down at %u C", now, limit);
    else
        finding_ok(finding, "%u C; it slows down at %u C", now, limit);
}

DOCTOR_CHECK(check_power)
{
    unsigned limit = 0, usual = 0;
    if (!ANSWERED("power limit", power_limit, &limit)) return;
    if (ASK(default_power_limit, patient->device, &usual) || !usual)
        finding_ok(finding, "%.0f W; the default is unknown", limit / 1e3);
    else if (limit < usual)
        finding_set(finding, CHECK_NOTE, "nvidia-smi -pl sets it",
                    "%.0f W, below the default of %.0f W: clocks will be lower under load",
                    limit / 1e3, usual / 1e3);
    else
        finding_ok(finding, "%.0f W; the default is %.0f W", limit / 1e3, usual / 1e3);
}

DOCTOR_CHECK(check_ecc)
{
    unsigned current = 0, pending = 0;
    unsigned long long errors = 0;
    if (!ANSWERED("ECC", ecc, &current, &pending)) return;
    if (!current)
        finding_ok(finding, "ECC is off");
    else if (ASK(ecc_errors, patient->device, NVML_UNCORRECTED, NVML_SINCE_BOOT, &errors))
        finding_ok(finding, "ECC is on; its errors are unknown");
    else if (errors)
        finding_set(
            finding, CHECK_NOTE,
            "reset the GPU (nvidia-smi -r) or reboot; if errors recur, have the board checked",
            "%llu uncorrected memory errors since the driver was loaded", errors);
    else
        finding_ok(finding, "ECC is on, no uncorrected errors");
}

DOCTOR_CHECK(check_persistence)
{
    unsigned mode = 0;
    if (!ANSWERED("persistence mode", persistence, &mode)) return;
    if (mode)
        finding_ok(finding, "the driver stays loaded");
    else
        finding_set(finding, CHECK_NOTE, "nvidia-smi -pm 1",
                    "the driver releases an unused GPU: every command starts slowly");
}
