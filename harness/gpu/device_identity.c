#include "gpu/device_identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "base/text.h"
#include "gpu/device.h"

int gpu_present(void)
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess && status != cudaErrorNoDevice &&
        status != cudaErrorInsufficientDriver)
        warning("the GPU cannot be used: %s", cudaGetErrorString(status));
    return status == cudaSuccess && count > 0;
}

char *device_name(void)
{
    struct cudaDeviceProp properties;
    if (!CUDA_OK(cudaGetDeviceProperties(&properties, 0))) return NULL;
    char *name = strdup(properties.name);
    if (!name) error_memory();
    return name;
}

char *device_identity(void)
{
    char uuid[DEVICE_UUID];
    struct cudaDeviceProp properties;
    if (!CUDA_OK(cudaGetDeviceProperties(&properties, 0))) return NULL;
    char *identity = text_new("%s, UUID %s", properties.name, device_uuid(&properties, uuid));
    if (!identity) error_memory();
    return identity;
}

char *run_default_name(void)
{
    struct cudaDeviceProp properties;
    char date[16];
    const time_t now = time(NULL);
    struct tm utc;
    if (!CUDA_OK(cudaGetDeviceProperties(&properties, 0))) return NULL;
    char *slug = device_slug(properties.name);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    char *name = slug ? text_new("%s-%s", slug, date) : NULL;
    if (!name) error_memory();
    free(slug);
    return name;
}
