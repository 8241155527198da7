/*
 * Gets facts about GPUs from the driver through NVML. The library is loaded at run time, because it
 * comes with the driver, and its header may be absent. A struct nvml owns the library until
 * nvml_close; device handles belong to the library. Needs no CUDA.
 */
#ifndef WHYFAST_NVML_H
#define WHYFAST_NVML_H

#include "base/text.h"

/* The layout of the library (version 3). */
struct nvml_process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
};

/* To use another function, add a row: its name in struct nvml, its name in the library, its
 * parameters. All return NVML_DONE or an error; any may be NULL in an older driver. */
#define NVML_FUNCTIONS(USE)                                                                        \
    USE(init, "nvmlInit_v2", (void))                                                               \
    USE(shutdown, "nvmlShutdown", (void))                                                          \
    USE(driver, "nvmlSystemGetDriverVersion", (char *version, unsigned length))                    \
    USE(count, "nvmlDeviceGetCount_v2", (unsigned *count))                                         \
    USE(uuid, "nvmlDeviceGetUUID", (void *device, char *uuid, unsigned length))                    \
    USE(mig_count, "nvmlDeviceGetMaxMigDeviceCount", (void *device, unsigned *count))              \
    USE(mig_by_index, "nvmlDeviceGetMigDeviceHandleByIndex",                                       \
        (void *device, unsigned index, void **slice))                                              \
    USE(remapped_rows, "nvmlDeviceGetRemappedRows",                                                \
        (void *device, unsigned *correctable, unsigned *uncorrectable, unsigned *pending,          \
         unsigned *failed))                                                                        \
    USE(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration",                                    \
        (void *device, unsigned *generation))                                                      \
    USE(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth", (void *device, unsigned *lanes))             \
    USE(by_index, "nvmlDeviceGetHandleByIndex_v2", (unsigned index, void **device))                \
    USE(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2", (const char *bus_id, void **device))        \
    USE(name, "nvmlDeviceGetName", (void *device, char *name, unsigned length))                    \
    USE(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (void *device, unsigned *milliwatts))      \
    USE(default_power_limit, "nvmlDeviceGetPowerManagementDefaultLimit",                           \
        (void *device, unsigned *milliwatts))                                                      \
    USE(clock_reasons, "nvmlDeviceGetCurrentClocksEventReasons",                                   \
        (void *device, unsigned long long *reasons))                                               \
    USE(clock, "nvmlDeviceGetClockInfo", (void *device, int which, unsigned *mhz))                 \
    USE(most_clock, "nvmlDeviceGetMaxClockInfo", (void *device, int which, unsigned *mhz))         \
    USE(temperature, "nvmlDeviceGetTemperature", (void *device, int sensor, unsigned *celsius))    \
    USE(temperature_limit, "nvmlDeviceGetTemperatureThreshold",                                    \
        (void *device, int which, unsigned *celsius))                                              \
    USE(mig, "nvmlDeviceGetMigMode", (void *device, unsigned *current, unsigned *pending))         \
    USE(virtualization, "nvmlDeviceGetVirtualizationMode", (void *device, int *mode))              \
    USE(compute_mode, "nvmlDeviceGetComputeMode", (void *device, int *mode))                       \
    USE(persistence, "nvmlDeviceGetPersistenceMode", (void *device, unsigned *mode))               \
    USE(ecc, "nvmlDeviceGetEccMode", (void *device, unsigned *current, unsigned *pending))         \
    USE(ecc_errors, "nvmlDeviceGetTotalEccErrors",                                                 \
        (void *device, int kind, int since, unsigned long long *errors))                           \
    USE(energy, "nvmlDeviceGetTotalEnergyConsumption",                                             \
        (void *device, unsigned long long *millijoules))                                           \
    USE(processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                      \
        (void *device, unsigned *count, struct nvml_process *process))

enum {
    NVML_DONE = 0,
    NVML_NOT_SUPPORTED = 3,
    NVML_TOO_SMALL = 7,
    NVML_NO_DRIVER = 9,
    NVML_MISMATCH = 18
};
enum {
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEMORY = 2,
    NVML_SLOWDOWN = 1,
    NVML_UNCORRECTED = 1,
    NVML_SINCE_BOOT = 0
};

#define NVML_MEMBER(member, name, parameters) int(*member) parameters;
struct nvml {
    void *library;
    NVML_FUNCTIONS(NVML_MEMBER)
};
#undef NVML_MEMBER

enum { NVML_REASON = 120 };

/* Loads and initialises the library. Returns NVML_DONE; otherwise an error of NVML's, or -1 if
 * there is no such library, with the reason; nothing is owned then. */
int nvml_open(struct nvml *nvml, char reason[NVML_REASON]);
void nvml_close(struct nvml *nvml);

/* Writes in words why clocks are below their maximum, by the bits of clock_reasons. Returns the
 * bits that slow down a measurement; idleness does not. */
unsigned long long nvml_clock_words(struct text *words, unsigned long long reasons);

#endif
