#include "measure/occupancy.h"

#include <cuda_occupancy.h>
#include <string.h>

#include "base/message.h"

static const char *limiter_text(unsigned factors, char buffer[OCCUPANCY_LIMITER])
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        {OCC_LIMIT_WARPS, "warps"},
        {OCC_LIMIT_REGISTERS, "registers"},
        {OCC_LIMIT_SHARED_MEMORY, "shared memory"},
        {OCC_LIMIT_BLOCKS, "blocks"},
        {OCC_LIMIT_BARRIERS, "barriers"},
    };
    buffer[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!(factors & names[i].bit)) continue;
        if (buffer[0]) strcat(buffer, ", ");
        strcat(buffer, names[i].name);
    }
    return buffer;
}

const char *occupancy_limiter(const struct device *device, const struct kernel_facts *facts,
                              int threads, size_t dynamic_shared, int blocks,
                              char limiter[OCCUPANCY_LIMITER])
{
    const struct cudaDeviceProp *from = &device->properties;
    struct cudaOccDeviceProp properties = {
        .computeMajor = from->major,
        .computeMinor = from->minor,
        .maxThreadsPerBlock = from->maxThreadsPerBlock,
        .maxThreadsPerMultiprocessor = from->maxThreadsPerMultiProcessor,
        .regsPerBlock = from->regsPerBlock,
        .regsPerMultiprocessor = from->regsPerMultiprocessor,
        .warpSize = from->warpSize,
        .sharedMemPerBlock = from->sharedMemPerBlock,
        .sharedMemPerMultiprocessor = from->sharedMemPerMultiprocessor,
        .numSms = from->multiProcessorCount,
        .sharedMemPerBlockOptin = from->sharedMemPerBlockOptin,
        .reservedSharedMemPerBlock = from->reservedSharedMemPerBlock};
    struct cudaOccFuncAttributes attributes = {.maxThreadsPerBlock = facts->max_block_threads,
                                               .numRegs = facts->registers,
                                               .sharedSizeBytes = (size_t)facts->static_shared,
                                               .partitionedGCConfig = PARTITIONED_GC_OFF,
                                               .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                               .maxDynamicSharedSizeBytes =
                                                   (size_t)facts->max_dynamic_shared,
                                               .numBlockBarriers = 1};
    struct cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    struct cudaOccResult answer;
    const int known =
        cudaOccMaxActiveBlocksPerMultiprocessor(&answer, &properties, &attributes, &state, threads,
                                                dynamic_shared) == CUDA_OCC_SUCCESS;
    if (known && answer.activeBlocksPerMultiprocessor == blocks)
        return limiter_text(answer.limitingFactors, limiter);
    warning("the limiter of the occupancy is unknown: the occupancy calculator of the toolkit %s",
            known ? "disagrees with the driver" : "does not know this chip");
    *limiter = 0;
    return limiter;
}
