/*
 * Emulates the errors, device properties and functions of the CUDA runtime, and the part of the
 * driver that the program uses.
 *
 * Words of FAKE_STATE used here: no_gpu, insufficient_driver, old, small, smallest (of compute
 * capability 8.0, 8.6, 7.5), broken_N (of device N), no_clusters, no_cooperation, renamed.
 */
#include <cuda_occupancy.h>
#include <stdio.h>
#include <string.h>

#include "cudart.h"

cudaError_t cudart_last_error;

/* The properties that differ between chips. */
struct chip {
    int major, minor;
    size_t shared_per_sm;
};

static struct chip chip(void)
{
    if (fake_state("old")) return (struct chip){8, 0, 164 << 10};
    if (fake_state("small")) return (struct chip){8, 6, 100 << 10};
    if (fake_state("smallest")) return (struct chip){7, 5, 64 << 10};
    return (struct chip){9, 0, 228 << 10};
}

static size_t shared_per_sm(void)
{
    return chip().shared_per_sm;
}

/* ---- errors ---------------------------------------------------------------------------------- */

cudaError_t cudaPeekAtLastError(void)
{
    return cudart_last_error;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t planted = (cudaError_t)fake_call(__func__),
                      status = planted ? planted : cudart_last_error;
    cudart_last_error = cudaSuccess;
    return status;
}

static const char *text_of(int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        {0, "no error"},
        {cudaErrorInvalidValue, "invalid argument"},
        {cudaErrorMemoryAllocation, "out of memory"},
        {cudaErrorInvalidConfiguration, "invalid configuration argument"},
        {cudaErrorInsufficientDriver,
         "CUDA driver version is insufficient for CUDA runtime version"},
        {cudaErrorNoDevice, "no CUDA-capable device is detected"},
        {cudaErrorNoKernelImageForDevice,
         "no kernel image is available for execution on the device"},
        {cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"},
        {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
        {cudaErrorUnknown, "unknown error"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].status == status) return texts[i].text;
    return "an error that the fake has no words for";
}

const char *cudaGetErrorString(cudaError_t status)
{
    return text_of((int)status);
}

/* ---- the device ------------------------------------------------------------------------------ */

cudaError_t cudaGetDeviceCount(int *count)
{
    const cudaError_t status = entered(__func__);
    *count = 0;
    if (status) return status;
    if (fake_state("no_gpu")) return failed(cudaErrorNoDevice);
    if (fake_state("insufficient_driver")) return failed(cudaErrorInsufficientDriver);
    *count = fake_devices();
    return *count ? cudaSuccess : failed(cudaErrorNoDevice);
}

ALWAYS(cudaSetDevice, (int device), )
ALWAYS(cudaGetDevice, (int *device), *device = 0)
ALWAYS(cudaCtxResetPersistingL2Cache, (void), )
ALWAYS(cudaDriverGetVersion, (int *version), *version = 13000)
ALWAYS(cudaRuntimeGetVersion, (int *version), *version = 13000)
ALWAYS(cudaDeviceGetPCIBusId, (char *id, int bytes, int device),
       snprintf(id, (size_t)bytes, "0000:00:%02x.0", (unsigned)fake_device(device)))

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (fake_device_state("broken")) return failed(cudaErrorDevicesUnavailable);
    memset(properties, 0, sizeof *properties);
    properties->uuid.bytes[sizeof properties->uuid.bytes - 1] = (char)fake_device(device);
    snprintf(properties->name, sizeof properties->name, "%s",
             fake_state("renamed") ? "Fake GPU (another)" : "Fake GPU (no device)");
    properties->major = chip().major;
    properties->minor = chip().minor;
    properties->multiProcessorCount = FAKE_SMS;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->maxThreadsPerBlock = 1024;
    properties->maxBlocksPerMultiProcessor = 32;
    properties->l2CacheSize = FAKE_L2_BYTES;
    properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
    properties->warpSize = 32;
    properties->sharedMemPerBlock = GUARANTEED_SHARED;
    properties->sharedMemPerMultiprocessor = shared_per_sm();
    properties->sharedMemPerBlockOptin = shared_per_sm() - 1024;
    properties->reservedSharedMemPerBlock = 1024;
    properties->cooperativeLaunch = !fake_state("no_cooperation");
    properties->totalGlobalMem = FAKE_MEMORY_BYTES;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    const cudaError_t status = entered(__func__);
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = FAKE_SMS; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = (int)shared_per_sm(); break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = 65536; break;
    case cudaDevAttrL2CacheSize: *value = FAKE_L2_BYTES; break;
    case cudaDevAttrClockRate: *value = 1000 * FAKE_MHZ; break;
    case cudaDevAttrMemoryClockRate: *value = 1000 * FAKE_MHZ; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = 8 * FAKE_DRAM_BYTES_PER_CYCLE / 2; break;
    case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
    default: *value = 0; break;
    }
    return status;
}

/* ---- functions ------------------------------------------------------------------------------- */

static int blocks_per_sm(const struct fake_kernel *kernel, int threads, size_t shared)
{
    struct cudaOccDeviceProp properties;
    struct cudaOccFuncAttributes attributes;
    struct cudaOccDeviceState state;
    struct cudaOccResult answer;
    memset(&properties, 0, sizeof properties);
    memset(&attributes, 0, sizeof attributes);
    memset(&state, 0, sizeof state);
    properties.computeMajor = chip().major;
    properties.computeMinor = chip().minor;
    properties.maxThreadsPerBlock = 1024;
    properties.maxThreadsPerMultiprocessor = 2048;
    properties.regsPerBlock = properties.regsPerMultiprocessor = 65536;
    properties.warpSize = 32;
    properties.sharedMemPerBlock = GUARANTEED_SHARED;
    properties.sharedMemPerMultiprocessor = shared_per_sm();
    properties.numSms = FAKE_SMS;
    properties.sharedMemPerBlockOptin = shared_per_sm() - 1024;
    properties.reservedSharedMemPerBlock = 1024;
    attributes.maxThreadsPerBlock = 1024;
    attributes.numRegs = kernel->registers;
    attributes.sharedSizeBytes = (size_t)kernel->static_shared;
    attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = shared > GUARANTEED_SHARED ? shared : GUARANTEED_SHARED;
    attributes.numBlockBarriers = 1;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
    return cudaOccMaxActiveBlocksPerMultiprocessor(&answer, &properties, &attributes, &state,
                                                   threads, shared) == CUDA_OCC_SUCCESS
               ? answer.activeBlocksPerMultiprocessor
               : 0;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks,
                                                                   const void *function,
                                                                   int threads, size_t shared,
                                                                   unsigned flags)
{
    const struct fake_kernel *kernel = fake_kernel_find(function);
    const cudaError_t status = entered(__func__);
    *blocks = 0;
    if (status) return status;
    if (!kernel) return failed(cudaErrorInvalidDeviceFunction);
    *blocks = blocks_per_sm(kernel, threads, shared);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                  0);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config)
{
    const cudaError_t status = entered(__func__);
    *clusters = fake_state("no_clusters") ? 0 : 1;
    return status;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    struct fake_kernel *kernel = fake_kernel_find(function);
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!kernel || (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize &&
                    (size_t)value > shared_per_sm() - 1024))
        return failed(cudaErrorInvalidValue);
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
        kernel->max_dynamic_shared = value;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    const struct fake_kernel *kernel = fake_kernel_find(function);
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!kernel) return failed(cudaErrorInvalidDeviceFunction);
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = (size_t)kernel->static_shared;
    attributes->numRegs = kernel->registers;
    attributes->maxThreadsPerBlock = 1024;
    return cudaSuccess;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *found, const void *function)
{
    const cudaError_t status = entered(__func__);
    *found = (cudaFunction_t)fake_kernel_find(function);
    return status ? status : *found ? cudaSuccess : failed(cudaErrorInvalidDeviceFunction);
}

/* ---- the driver ------------------------------------------------------------------------------ */

static CUresult get_error_string(CUresult status, const char **text)
{
    *text = text_of((int)status);
    return (CUresult)fake_call("cuGetErrorString");
}

static char one_context;

static CUresult context_current(CUcontext *context)
{
    *context = (CUcontext)(void *)&one_context;
    return (CUresult)fake_call("cuCtxGetCurrent");
}

static CUresult function_name(const char **name, CUfunction function)
{
    *name = ((const struct fake_kernel *)function)->symbol;
    return (CUresult)fake_call("cuFuncGetName");
}

static CUresult function_attribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    const struct fake_kernel *kernel = (const struct fake_kernel *)function;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = kernel->registers; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = kernel->static_shared; break;
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = kernel->max_dynamic_shared ? kernel->max_dynamic_shared : GUARANTEED_SHARED;
        break;
    default: *value = 0; break;
    }
    return (CUresult)fake_call("cuFuncGetAttribute");
}

static CUresult function_blocks(int *blocks, CUfunction function, int threads, size_t shared)
{
    *blocks = blocks_per_sm((const struct fake_kernel *)function, threads, shared);
    return (CUresult)fake_call("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

static CUresult node_parameters(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *parameters)
{
    const struct fake_launch *launch = &node->operation.launch;
    memset(parameters, 0, sizeof *parameters);
    parameters->kern = (CUkernel)(uintptr_t)launch->kernel;
    parameters->gridDimX = launch->grid[0];
    parameters->gridDimY = launch->grid[1];
    parameters->gridDimZ = launch->grid[2];
    parameters->blockDimX = launch->block[0];
    parameters->blockDimY = launch->block[1];
    parameters->blockDimZ = launch->block[2];
    parameters->sharedMemBytes = (unsigned)launch->shared;
    return (CUresult)fake_call("cuGraphKernelNodeGetParams");
}

static CUresult kernel_function(CUfunction *function, CUkernel kernel)
{
    *function = (CUfunction)(void *)kernel;
    return (CUresult)fake_call("cuKernelGetFunction");
}

/* Kernels here use only the map's address. */
static CUresult encode_map(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *base,
                           const cuuint64_t *sides, const cuuint64_t *strides,
                           const cuuint32_t *box, const cuuint32_t *steps,
                           CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                           CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    memset(map, 0, sizeof *map);
    memcpy(map, &base, sizeof base);
    return (CUresult)fake_call("cuTensorMapEncodeTiled");
}

typedef void any_function(void);

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **address, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found)
{
    static const struct {
        const char *name;
        any_function *function;
    } functions[] = {
        {"cuGetErrorString", (any_function *)get_error_string},
        {"cuCtxGetCurrent", (any_function *)context_current},
        {"cuFuncGetName", (any_function *)function_name},
        {"cuFuncGetAttribute", (any_function *)function_attribute},
        {"cuOccupancyMaxActiveBlocksPerMultiprocessor", (any_function *)function_blocks},
        {"cuGraphKernelNodeGetParams", (any_function *)node_parameters},
        {"cuKernelGetFunction", (any_function *)kernel_function},
        {"cuTensorMapEncodeTiled", (any_function *)encode_map},
    };
    const cudaError_t status = entered(__func__);
    *address = NULL;
    *found = cudaDriverEntryPointSymbolNotFound;
    if (status) return status;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name)) continue;
        memcpy(address, &functions[i].function, sizeof *address);
        *found = cudaDriverEntryPointSuccess;
    }
    return cudaSuccess;
}
