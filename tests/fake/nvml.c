/*
 * Emulates the part of NVML that the program uses, for the fake GPU (fake.h). Words of FAKE_STATE:
 * mig, throttled.
 */
#include <stdio.h>

#include "fake.h"
#include "gpu/nvml.h"

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **handle);
int nvmlDeviceGetEnforcedPowerLimit(void *handle, unsigned *milliwatts);
int nvmlDeviceGetCurrentClocksEventReasons(void *handle, unsigned long long *reasons);
int nvmlDeviceGetFieldValues(void *handle, int count, struct nvml_field *field);
int nvmlDeviceGetMigMode(void *handle, unsigned *current, unsigned *pending);
int nvmlSystemGetDriverVersion(char *version, unsigned length);
int nvmlDeviceGetPersistenceMode(void *handle, unsigned *mode);

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
    static char device;
    (void)bus_id;
    *handle = &device;
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

int nvmlDeviceGetFieldValues(void *handle, int count, struct nvml_field *field)
{
    (void)handle;
    for (int i = 0; i < count; i++) field[i].value.whole = 900;
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
