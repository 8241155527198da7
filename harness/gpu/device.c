#include "gpu/device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "base/text.h"
#include "gpu/device_identity.h"
#include "driver/nvml.h"

int cuda_ok(cudaError_t status, const char *call, const char *file, int line)
{
    if (status == cudaSuccess) return 1;
    error(FAIL_GPU, "%s:%d: %s: %s", file, line, call, cudaGetErrorString(status));
    return 0;
}

void cuda_released(cudaError_t status, const char *call)
{
    if (status == cudaSuccess) return;
    detail("%s: %s", call, cudaGetErrorString(status));
    cudaGetLastError();
}

int driver_find(const char *name, unsigned version, void *pointer)
{
    void *address = NULL;
    enum cudaDriverEntryPointQueryResult found;
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found);
    if (status != cudaSuccess)
        return error(FAIL_GPU, "the driver's function %s is not available: %s", name,
                     cudaGetErrorString(status));
    if (!address)
        return error(FAIL_GPU, "the driver has no function %s of CUDA %u.%u", name, version / 1000,
                     version % 1000 / 10);
    memcpy(pointer, &address, sizeof address); /* ISO C has no cast to a function pointer */
    return 0;
}

int driver_ok(CUresult status, const char *name)
{
    PFN_cuGetErrorString_v6000 get_text;
    const char *text = NULL;
    if (status == CUDA_SUCCESS) return 1;
    if (!driver_find("cuGetErrorString", 6000, &get_text)) get_text(status, &text);
    error(FAIL_GPU, "%s: %s (error %d)", name, text ? text : "unknown error", (int)status);
    return 0;
}

int device_look(struct device *device)
{
    memset(device, 0, sizeof *device);
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice ||
        (status == cudaSuccess && count == 0))
        return error(FAIL_GPU,
                     "no GPU here (%s); 'whyfast report' replays a recorded run, and measuring "
                     "needs an NVIDIA GPU with driver R580 or later",
                     status == cudaSuccess ? "no device" : cudaGetErrorString(status));
    if (!CUDA_OK(status) || !CUDA_OK(cudaGetDeviceProperties(&device->properties, 0)))
        return FAIL_GPU;
    device->compute_capability = 10 * device->properties.major + device->properties.minor;
    device->sm_count = device->properties.multiProcessorCount;
    device->threads_per_sm = device->properties.maxThreadsPerMultiProcessor;
    device->l2_bytes = (size_t)device->properties.l2CacheSize;
    return 0;
}

int device_open(struct device *device)
{
    const int result = device_look(device);
    if (result) return result;
    return CUDA_OK(cudaSetDevice(0)) && CUDA_OK(cudaFree(NULL)) &&
                   CUDA_OK(cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking))
               ? 0
               : FAIL_GPU;
}

void device_close(struct device *device)
{
    if (device->stream) CUDA_RELEASE(cudaStreamDestroy(device->stream));
    memset(device, 0, sizeof *device);
}

/* The name for directory names, such as "nvidia-h200". The caller frees it. */
static char *device_slug(const char *name)
{
    char *slug = strdup(name);
    if (!slug) return NULL;
    char *to = slug;
    for (const char *p = name; *p; p++) {
        if (isalnum((unsigned char)*p))
            *to++ = (char)tolower((unsigned char)*p);
        else if (to > slug && to[-1] != '-')
            *to++ = '-';
    }
    while (to > slug && to[-1] == '-') to--;
    *to = 0;
    return slug;
}

/* Device attributes that become facts; the key carries the unit. To add one, add a row. */
static const struct {
    const char *key;
    enum cudaDeviceAttr attribute;
} attributes[] = {
    {"device_sm_count", cudaDevAttrMultiProcessorCount},
    {"device_max_threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor},
    {"device_shared_bytes_per_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {"device_registers_per_sm", cudaDevAttrMaxRegistersPerMultiprocessor},
    {"device_l2_bytes", cudaDevAttrL2CacheSize},
    {"device_sm_clock_khz", cudaDevAttrClockRate},
    {"device_dram_clock_khz", cudaDevAttrMemoryClockRate},
    {"device_dram_bus_bits", cudaDevAttrGlobalMemoryBusWidth},
    {"device_ecc", cudaDevAttrEccEnabled},
};

/* Facts that tell boards of one name apart. */
static int board_facts(struct run *run, const struct nvml *nvml, void *handle)
{
    static const char untold[] = ABSENT "NVML does not report it";
    unsigned celsius = 0, corrected = 0, uncorrected = 0, pending = 0, failed = 0, generation = 0,
             lanes = 0;
    char text[96];
    strcpy(text, untold);
    if (nvml->temperature && !nvml->temperature(handle, 0, &celsius))
        snprintf(text, sizeof text, "%u", celsius);
    int result = run_fact_set(run, "device_temperature_c", "%s", text);
    strcpy(text, untold);
    if (nvml->remapped_rows &&
        !nvml->remapped_rows(handle, &corrected, &uncorrected, &pending, &failed))
        snprintf(text, sizeof text, "%u%s%s", corrected + uncorrected, pending ? ", pending" : "",
                 failed ? ", failed" : "");
    if (!result) result = run_fact_set(run, "device_remapped_rows", "%s", text);
    strcpy(text, untold);
    if (nvml->pcie_generation && nvml->pcie_width && !nvml->pcie_generation(handle, &generation) &&
        !nvml->pcie_width(handle, &lanes))
        snprintf(text, sizeof text, "generation %u, %u lanes", generation, lanes);
    return result ? result : run_fact_set(run, "device_pcie", "%s", text);
}

static int nvml_facts(struct run *run, const struct nvml *nvml, void *handle)
{
    static const char untold[] = ABSENT "NVML does not report it";
    unsigned value = 0, pending = 0;
    unsigned long long reasons = 0;
    char text[96];
    if (!nvml->driver || nvml->driver(text, sizeof text)) strcpy(text, untold);
    int result = run_fact_set(run, "driver", "%s", text);
    strcpy(text, untold);
    if (nvml->power_limit && !nvml->power_limit(handle, &value))
        snprintf(text, sizeof text, "%.0f", value / 1000.0);
    if (!result) result = run_fact_set(run, "device_power_limit_w", "%s", text);
    strcpy(text, ABSENT "the device has no MIG");
    if (nvml->mig && !nvml->mig(handle, &value, &pending)) snprintf(text, sizeof text, "%u", value);
    if (!result) result = run_fact_set(run, "device_mig", "%s", text);
    if (!result && nvml->persistence && !nvml->persistence(handle, &value))
        result = run_fact_set(run, "device_persistence", "%u", value);
    strcpy(text, untold);
    if (nvml->clock_reasons && !nvml->clock_reasons(handle, &reasons))
        snprintf(text, sizeof text, "0x%llx", reasons);
    if (!result) result = run_fact_set(run, "device_clock_event_reasons", "%s", text);
    return result ? result : board_facts(run, nvml, handle);
}

static int driver_side_facts(const struct device *device, struct run *run)
{
    char bus_id[32] = "", reason[NVML_REASON];
    void *handle = NULL;
    struct nvml nvml;
    if (nvml_open(&nvml, reason)) return run_fact_set(run, "driver", ABSENT "%s", reason);
    const int is_known =
        cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, device->index) == cudaSuccess &&
        nvml.by_bus_id && !nvml.by_bus_id(bus_id, &handle);
    const int result = is_known
                           ? nvml_facts(run, &nvml, handle)
                           : run_fact_set(run, "driver", ABSENT "NVML does not know this device");
    nvml_close(&nvml);
    return result;
}

char *device_uuid(const struct cudaDeviceProp *properties, char text[DEVICE_UUID])
{
    for (int i = 0, at = 0; i < 16; i++)
        at += snprintf(text + at, (size_t)(DEVICE_UUID - at),
                       i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
                       (unsigned char)properties->uuid.bytes[i]);
    return text;
}

static int version_fact(struct run *run, const char *key, cudaError_t status, const int *version)
{
    if (status != cudaSuccess)
        return run_fact_set(run, key, ABSENT "%s", cudaGetErrorString(status));
    return run_fact_set(run, key, "%d.%d", *version / 1000, *version % 1000 / 10);
}

static int attribute_fact(const struct device *device, struct run *run, size_t i)
{
    int value = 0;
    const int told =
        cudaDeviceGetAttribute(&value, attributes[i].attribute, device->index) == cudaSuccess;
    if (told && (value > 0 || attributes[i].attribute == cudaDevAttrEccEnabled))
        return run_fact_set(run, attributes[i].key, "%d", value);
    return run_fact_set(run, attributes[i].key, ABSENT "the driver does not report it");
}

int device_facts(const struct device *device, struct run *run)
{
    const struct cudaDeviceProp *properties = &device->properties;
    char uuid[DEVICE_UUID];
    int version = 0, result = run_fact_set(run, "device_name", "%s", properties->name);
    /* Boards of one name are not equally fast. */
    if (!result) result = run_fact_set(run, "device_uuid", "%s", device_uuid(properties, uuid));
    if (!result)
        result = run_fact_set(run, "device_compute_capability", "%d.%d", properties->major,
                              properties->minor);
    if (!result)
        result = run_fact_set(run, "device_memory_bytes", "%zu", properties->totalGlobalMem);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes && !result; i++)
        result = attribute_fact(device, run, i);
    if (!result)
        result = version_fact(run, "cuda_driver", cudaDriverGetVersion(&version), &version);
    if (!result)
        result = version_fact(run, "cuda_runtime", cudaRuntimeGetVersion(&version), &version);
    if (!result) result = driver_side_facts(device, run);
    cudaGetLastError(); /* so that the next launch is not blamed for a fact that is absent */
    return result;
}

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

/* ---- kernels --------------------------------------------------------------------------------- */

int kernel_facts(const struct listed_kernel *kernel, struct kernel_facts *facts)
{
    PFN_cuFuncGetName_v12030 get_name;
    PFN_cuFuncGetAttribute_v2020 get_attribute;
    const struct {
        CUfunction_attribute attribute;
        int *value;
    } values[] = {
        {CU_FUNC_ATTRIBUTE_NUM_REGS, &facts->registers},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &facts->static_shared},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &facts->local},
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &facts->max_block_threads},
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &facts->max_dynamic_shared},
    };
    if (driver_find("cuFuncGetName", 12030, &get_name) ||
        driver_find("cuFuncGetAttribute", 2020, &get_attribute))
        return FAIL_GPU;
    facts->function = kernel->driver_function;
    if (!facts->function &&
        !CUDA_OK(cudaGetFuncBySymbol(&facts->function, kernel->launch.function)))
        return FAIL_GPU;
    if (!driver_ok(get_name(&facts->symbol, facts->function), "cuFuncGetName")) return FAIL_GPU;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!driver_ok(get_attribute(values[i].value, values[i].attribute, facts->function),
                       "cuFuncGetAttribute"))
            return FAIL_GPU;
    return 0;
}

int kernel_blocks_per_sm(const struct kernel_facts *facts, int threads, size_t dynamic_shared,
                         int *blocks)
{
    static const char name[] = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050 get_blocks;
    if (driver_find(name, 6050, &get_blocks)) return FAIL_GPU;
    const CUresult status = get_blocks(blocks, facts->function, threads, dynamic_shared);
    return driver_ok(status, name) ? 0 : FAIL_GPU;
}
