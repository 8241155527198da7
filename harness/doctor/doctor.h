/*
 * Checks the requirements of the program on this machine and gives a fix for each problem. The
 * struct patient owns the libraries and handles that its checks open until doctor_run ends.
 *
 * Checks are functions in three modules: doctor/doctor_system.c checks the system, programs and
 * files, doctor/doctor_nvml.c the driver through NVML, and gpu_command/doctor_cuda.c CUDA and CUPTI
 * (whyfast-gpu alone has it). No check fails: if it cannot find out, its result is CHECK_SKIPPED,
 * with the reason.
 */
#ifndef WHYFAST_DOCTOR_H
#define WHYFAST_DOCTOR_H

#include <stdint.h>

#include "base/print_table.h"
#include "driver/nvml.h"

enum severity {
    CHECK_OK,
    CHECK_NOTE,   /* it works in part, or less well */
    CHECK_BAD,    /* this part of the program will not work */
    CHECK_SKIPPED /* cannot be checked here */
};

enum { FINDING_BYTES = 400 };

struct finding {
    enum severity severity;
    char detail[FINDING_BYTES];
    char fix[FINDING_BYTES]; /* "" if there is nothing to do */
};

/* The state that checks share. They run in the order of the table. */
struct patient {
    const char *output; /* directory of the results */
    struct nvml nvml;
    char no_nvml[NVML_REASON]; /* the reason if nvml is missing, else "" */
    int nvml_status;
    void *device;                  /* NVML's handle of the GPU that is measured, or NULL */
    char no_device[FINDING_BYTES]; /* the reason if there is none, else "" */
    struct gpu_patient *gpu;       /* gpu_command/doctor_cuda.c's; NULL without a GPU */
    int cuda_driver;               /* CUDA version of the driver, 13000 for 13.0; 0 if unknown */
};

/* Sets the finding of a check. `fix` is NULL if there is nothing to do. */
void finding_set(struct finding *finding, enum severity severity, const char *fix,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
#define finding_ok(finding, ...) finding_set(finding, CHECK_OK, NULL, __VA_ARGS__)
#define finding_skip(finding, ...) finding_set(finding, CHECK_SKIPPED, NULL, __VA_ARGS__)

typedef void doctor_check(struct patient *patient, struct finding *finding);

/* Begins the definition of a check; some checks do not use the patient. */
#define DOCTOR_CHECK(function)                                                                     \
    void function(struct patient *patient __attribute__((unused)), struct finding *finding)

/* To add a check: add its name and function here, in the order of the output. */
#define DOCTOR_CHECKS_OF_DEVICE(USE)                                                               \
    USE("driver", check_driver)                                                                    \
    USE("MIG", check_mig)                                                                          \
    USE("virtualization", check_virtualization)                                                    \
    USE("compute mode", check_compute_mode)                                                        \
    USE("other programs", check_processes)                                                         \
    USE("clocks", check_clocks)                                                                    \
    USE("temperature", check_temperature)                                                          \
    USE("power limit", check_power)                                                                \
    USE("ECC", check_ecc)                                                                          \
    USE("persistence", check_persistence)

#define DOCTOR_CHECKS_OF_GPU(USE)                                                                  \
    USE("GPU", check_gpu)                                                                          \
    USE("CUDA", check_cuda)                                                                        \
    USE("kernels", check_kernels)                                                                  \
    USE("device memory", check_device_memory)                                                      \
    USE("CUPTI", check_cupti)                                                                      \
    USE("counter support", check_support)                                                          \
    USE("counters", check_counters)                                                                \
    USE("self-test", check_selftest)

#define DOCTOR_CHECKS_OF_SYSTEM(USE)                                                               \
    USE("permissions", check_permissions)                                                          \
    USE("WSL", check_wsl)                                                                          \
    USE("other profilers", check_profilers)                                                        \
    USE("host memory", check_host_memory)                                                          \
    USE("output", check_output)                                                                    \
    USE("temporary files", check_temporary)                                                        \
    USE("gnuplot", check_gnuplot)                                                                  \
    USE("xz", check_xz)                                                                            \
    USE("disassembler", check_disassembler)                                                        \
    USE("libraries", check_libraries)                                                              \
    USE("data", check_data)                                                                        \
    USE("recorded runs", check_recorded)

#define DOCTOR_DECLARE(name, function) doctor_check function;
DOCTOR_CHECKS_OF_DEVICE(DOCTOR_DECLARE)
DOCTOR_CHECKS_OF_GPU(DOCTOR_DECLARE)
DOCTOR_CHECKS_OF_SYSTEM(DOCTOR_DECLARE)
#undef DOCTOR_DECLARE
#define DOCTOR_COUNT(name, function) +1

enum { DOCTOR_GPU_CHECKS = 0 DOCTOR_CHECKS_OF_GPU(DOCTOR_COUNT) };

/* The part of whyfast-gpu (gpu_command/doctor_cuda.c). */
struct doctor_gpu {
    /* Finds the GPU to be measured, sets patient->cuda_driver and the bus id ("" if unknown).
     * Creates no context, so that this process does not count as one that uses the GPU. */
    void (*open)(struct patient *patient, char bus_id[32]);
    void (*close)(struct patient *patient);
    doctor_check *check[DOCTOR_GPU_CHECKS]; /* in the order of DOCTOR_CHECKS_OF_GPU */
};

/* The most memory that a default size needs, in bytes. */
struct needed_memory {
    double device, host;
};
struct needed_memory doctor_needed_memory(void);

/* Runs all checks and prints a row for each on stdout: check, status, detail, fix. `output` is the
 * directory for a run; `gpu` is NULL without CUDA. Returns FAIL_CHECK, with a message, if a check
 * is bad. The lack of a GPU is not bad, because recorded runs can be replayed. */
int doctor_run(const char *output, enum print_form form, const struct doctor_gpu *gpu);

/* ---- reports of Nsight Compute (doctor/doctor_reports.c) ------------------------------------- */

enum { REPORT_FINDINGS = 12 };

struct report_findings {
    int count;
    const char *name[REPORT_FINDINGS];
    struct finding finding[REPORT_FINDINGS];
};

/* Looks for values in a report that are missing, impossible, or contradict each other, and for what
 * makes its times incomparable. Returns FAIL_INPUT, with a message, if it is damaged. */
int report_findings_make(struct report_findings *findings, const char *path);

/* Prints a row for each finding of the reports, as doctor_run does. */
int doctor_reports(const char *const *path, int paths, enum print_form form);

/* ---- permissions of counters: from files of the kernel and the driver ------------------------ */

/* Bits of the capabilities of a process (capability.h of the kernel). */
#define CAPABILITY_SYS_ADMIN (UINT64_C(1) << 21)
#define CAPABILITY_PERFMON (UINT64_C(1) << 38)

/* Reads the effective capabilities from a file like /proc/self/status. Returns 1, or 0 on failure.
 */
int permissions_capabilities(const char *path, uint64_t *capabilities);

/* Reads the number after "key:" in a file like /proc/self/status. Returns 1, or 0 on failure. */
int permissions_number(const char *path, const char *key, long *value);

/* Returns 1 if only administrators may read counters (RmProfilingAdminOnly in the driver's
 * parameters), 0 if all users may, -1 if unknown. */
int permissions_admin_only(const char *path);

/* Decides who may read counters, from permissions_admin_only, the capabilities and the driver's
 * major version (0: unknown): administrators always, processes with CAP_PERFMON since R565. */
enum permission {
    PERMITTED_ALL,
    PERMITTED_ADMIN,
    PERMITTED_PERFMON,
    PERMISSION_REFUSED,
    PERMISSION_UNKNOWN
};
enum permission permissions_judge(int admin_only, uint64_t capabilities, long driver);

/* Returns the name of the container engine whose files are under `root` ("" for /), or NULL. */
const char *permissions_container(const char *root);

#endif
