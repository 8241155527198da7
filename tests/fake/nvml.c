/*
 * Emulates the part of NVML that the program uses, for the fake GPU (fake.h). Words of FAKE_STATE:
 * mig, throttled, no_gpu.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"
#include "driver/nvml.h"

/* A handle is the place of the device here. */
enum { DEVICES = 256, NOT_FOUND = 6 };
static char devices[DEVICES];

/* Defines a function that does something in any case. */
#define NVML(name, parameters, ...)                                                                \
    int name parameters;                                                                           \
    int name parameters                                                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return fake_call(#name);                                                                   \
    }

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    const int status = fake_call(__func__);
    if (!status) fake_held("NVML", 1);
    return status;
}

NVML(nvmlShutdown, (void), fake_held("NVML", -1))
NVML(nvmlDeviceGetHandleByPciBusId_v2, (const char *bus_id, void **handle),
     *handle = &devices[strtoul(bus_id + strlen("0000:00:"), NULL, 16) % DEVICES])

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle)
{
    const int status = fake_call(__func__);
    *handle = &devices[index % DEVICES];
    return status ? status : fake_state("no_gpu") ? NOT_FOUND : 0;
}

NVML(nvmlDeviceGetCount_v2, (unsigned *count),
     *count = fake_state("no_gpu") ? 0 : (unsigned)fake_all_devices())
NVML(nvmlDeviceGetUUID, (void *handle, char *uuid, unsigned length),
     const unsigned device = (unsigned)((char *)handle - devices);
     snprintf(uuid, length, device < FAKE_SLICE(0) ? "GPU-" FAKE_UUID : "MIG-" FAKE_UUID, device))
NVML(nvmlDeviceGetEnforcedPowerLimit, (void *handle, unsigned *milliwatts), *milliwatts = 1000)
NVML(nvmlDeviceGetCurrentClocksEventReasons, (void *handle, unsigned long long *reasons),
     *reasons = fake_state("throttled") ? 4 : 0)

/* 900 W, counted every 10 ms. */
NVML(nvmlDeviceGetTotalEnergyConsumption, (void *handle, unsigned long long *millijoules),
     struct timespec now;
     clock_gettime(CLOCK_MONOTONIC, &now);
     const unsigned long long ms = (unsigned long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
     *millijoules = ms / 10 * 10 * 900)
NVML(nvmlDeviceGetMigMode, (void *handle, unsigned *current, unsigned *pending),
     *current = *pending = fake_state("mig") != 0)
NVML(nvmlSystemGetDriverVersion, (char *version, unsigned length),
     snprintf(version, length, "none (fake)"))
NVML(nvmlDeviceGetPersistenceMode, (void *handle, unsigned *mode), *mode = 1)

/* There is room for three slices, of which two exist. */
NVML(nvmlDeviceGetMaxMigDeviceCount, (void *handle, unsigned *count), *count = 3)

int nvmlDeviceGetMigDeviceHandleByIndex(void *handle, unsigned index, void **slice);
int nvmlDeviceGetMigDeviceHandleByIndex(void *handle, unsigned index, void **slice)
{
    const int status = fake_call(__func__);
    *slice = devices + FAKE_SLICE((char *)handle - devices) + index % 2;
    return status ? status : index < 2 ? 0 : NOT_FOUND;
}

NVML(nvmlDeviceGetTemperature, (void *handle, int sensor, unsigned *celsius), *celsius = 40)
NVML(nvmlDeviceGetRemappedRows,
     (void *handle, unsigned *correctable, unsigned *uncorrectable, unsigned *pending,
      unsigned *failed),
     *correctable = handle == &devices[1];
     *uncorrectable = *pending = *failed = 0)
NVML(nvmlDeviceGetCurrPcieLinkGeneration, (void *handle, unsigned *generation), *generation = 5)
NVML(nvmlDeviceGetCurrPcieLinkWidth, (void *handle, unsigned *lanes), *lanes = 16)
