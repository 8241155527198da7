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

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **handle);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetUUID(void *handle, char *uuid, unsigned length);
int nvmlDeviceGetMaxMigDeviceCount(void *handle, unsigned *count);
int nvmlDeviceGetMigDeviceHandleByIndex(void *handle, unsigned index, void **slice);
int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *celsius);
int nvmlDeviceGetRemappedRows(void *handle, unsigned *correctable, unsigned *uncorrectable,
                              unsigned *pending, unsigned *failed);
int nvmlDeviceGetCurrPcieLinkGeneration(void *handle, unsigned *generation);
int nvmlDeviceGetCurrPcieLinkWidth(void *handle, unsigned *lanes);
int nvmlDeviceGetEnforcedPowerLimit(void *handle, unsigned *milliwatts);
int nvmlDeviceGetCurrentClocksEventReasons(void *handle, unsigned long long *reasons);
int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *millijoules);
int nvmlDeviceGetMigMode(void *handle, unsigned *current, unsigned *pending);
int nvmlSystemGetDriverVersion(char *version, unsigned length);
int nvmlDeviceGetPersistenceMode(void *handle, unsigned *mode);

/* A handle is the place of the device here. */
enum { DEVICES = 256, NOT_FOUND = 6 };
static char devices[DEVICES];

int nvmlInit_v2(void)
{
    const int status = fake_call(__func__);
    if (!status) fake_held("NVML", 1);
    return status;
}

int nvmlShutdown(void)
{
    fake_held("NVML", -1);
    return fake_call(__func__);
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **handle)
{
    *handle = &devices[strtoul(bus_id + strlen("0000:00:"), NULL, 16) % DEVICES];
    return fake_call(__func__);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle)
{
    const int status = fake_call(__func__);
    *handle = &devices[index % DEVICES];
    return status ? status : fake_state("no_gpu") ? NOT_FOUND : 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = fake_state("no_gpu") ? 0 : (unsigned)fake_all_devices();
    return fake_call(__func__);
}

int nvmlDeviceGetUUID(void *handle, char *uuid, unsigned length)
{
    const unsigned device = (unsigned)((char *)handle - devices);
    snprintf(uuid, length, device < FAKE_SLICE(0) ? "GPU-" FAKE_UUID : "MIG-" FAKE_UUID, device);
    return fake_call(__func__);
}

int nvmlDeviceGetEnforcedPowerLimit(void *handle, unsigned *milliwatts)
{
    (void)handle;
    *milliwatts = 1000;
    return fake_call(__func__);
}

int nvmlDeviceGetCurrentClocksEventReasons(void *handle, unsigned long long *reasons)
{
    (void)handle;
    *reasons = fake_state("throttled") ? 4 : 0;
    return fake_call(__func__);
}

/* 900 W, counted every 10 ms. */
int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *millijoules)
{
    struct timespec now;
    (void)handle;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const unsigned long long ms = (unsigned long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    *millijoules = ms / 10 * 10 * 900;
    return fake_call(__func__);
}

int nvmlDeviceGetMigMode(void *handle, unsigned *current, unsigned *pending)
{
    (void)handle;
    *current = *pending = fake_state("mig") != 0;
    return fake_call(__func__);
}

int nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    snprintf(version, length, "none (fake)");
    return fake_call(__func__);
}

int nvmlDeviceGetPersistenceMode(void *handle, unsigned *mode)
{
    (void)handle;
    *mode = 1;
    return fake_call(__func__);
}

/* There is room for three slices, of which two exist. */
int nvmlDeviceGetMaxMigDeviceCount(void *handle, unsigned *count)
{
    (void)handle;
    *count = 3;
    return fake_call(__func__);
}

int nvmlDeviceGetMigDeviceHandleByIndex(void *handle, unsigned index, void **slice)
{
    const int status = fake_call(__func__);
    *slice = devices + FAKE_SLICE((char *)handle - devices) + index % 2;
    return status ? status : index < 2 ? 0 : NOT_FOUND;
}

int nvmlDeviceGetTemperature(void *handle, int sensor, unsigned *celsius)
{
    (void)handle;
    (void)sensor;
    *celsius = 40;
    return fake_call(__func__);
}

int nvmlDeviceGetRemappedRows(void *handle, unsigned *correctable, unsigned *uncorrectable,
                              unsigned *pending, unsigned *failed)
{
    *correctable = handle == &devices[1];
    *uncorrectable = *pending = *failed = 0;
    return fake_call(__func__);
}

int nvmlDeviceGetCurrPcieLinkGeneration(void *handle, unsigned *generation)
{
    (void)handle;
    *generation = 5;
    return fake_call(__func__);
}

int nvmlDeviceGetCurrPcieLinkWidth(void *handle, unsigned *lanes)
{
    (void)handle;
    *lanes = 16;
    return fake_call(__func__);
}
