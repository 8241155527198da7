#include "measure/launch_resources.h"

#include <cuda_occupancy.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "catalog/registry.h"
#include "catalog/bank_model.h"
#include "code/machine_code.h"
#include "gpu/launch_variant.h"

static const char *limiter_text(unsigned factors, char buffer[96])
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

static void occupancy_properties(const struct cudaDeviceProp *from, struct cudaOccDeviceProp *to)
{
    memset(to, 0, sizeof *to);
    to->computeMajor = from->major;
    to->computeMinor = from->minor;
    to->maxThreadsPerBlock = from->maxThreadsPerBlock;
    to->maxThreadsPerMultiprocessor = from->maxThreadsPerMultiProcessor;
    to->regsPerBlock = from->regsPerBlock;
    to->regsPerMultiprocessor = from->regsPerMultiprocessor;
    to->warpSize = from->warpSize;
    to->sharedMemPerBlock = from->sharedMemPerBlock;
    to->sharedMemPerMultiprocessor = from->sharedMemPerMultiprocessor;
    to->numSms = from->multiProcessorCount;
    to->sharedMemPerBlockOptin = from->sharedMemPerBlockOptin;
    to->reservedSharedMemPerBlock = from->reservedSharedMemPerBlock;
}

/* Blocks per SM and the limiting resources by the calculator of the toolkit. */
static int occupancy(const struct device *device, const struct kernel_facts *facts,
                     const struct launch *launch, int threads, int *blocks, unsigned *factors)
{
    struct cudaOccDeviceProp properties;
    struct cudaOccFuncAttributes attributes;
    struct cudaOccDeviceState state;
    struct cudaOccResult answer;
    occupancy_properties(&device->properties, &properties);
    memset(&attributes, 0, sizeof attributes);
    memset(&state, 0, sizeof state);
    attributes.maxThreadsPerBlock = facts->max_block_threads;
    attributes.numRegs = facts->registers;
    attributes.sharedSizeBytes = (size_t)facts->static_shared;
    attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = (size_t)facts->max_dynamic_shared;
    attributes.numBlockBarriers = 1;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
    *blocks = 0;
    *factors = 0;
    if (kernel_blocks_per_sm(facts, threads, launch->dynamic_shared, blocks)) return FAIL_GPU;
    const int known =
        cudaOccMaxActiveBlocksPerMultiprocessor(&answer, &properties, &attributes, &state, threads,
                                                launch->dynamic_shared) == CUDA_OCC_SUCCESS;
    if (known && answer.activeBlocksPerMultiprocessor == *blocks)
        *factors = answer.limitingFactors;
    else
        warning("what limits the occupancy is not known: the calculator of the toolkit %s",
                known ? "disagrees with the driver" : "does not know this chip");
    return 0;
}

static int write_launch(const struct workbench *bench, const struct selected *selected,
                        unsigned index, const struct listed_kernel *kernel,
                        struct csv_writer *writer)
{
    const struct variant *variant = selected->variant;
    const struct device *device = bench->device;
    const struct launch *launch = &kernel->launch;
    const struct work work = workbench_view(bench, selected);
    struct kernel_facts facts;
    struct sass_counts counts;
    struct access_sums sums;
    char limiter[96];
    int blocks;
    unsigned factors;
    const int threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    int result = kernel_facts(kernel, &facts);
    if (!result) result = occupancy(device, &facts, launch, threads, &blocks, &factors);
    if (result) return result;
    const int known = sass_count(facts.symbol, device->compute_capability, &counts);
    char *name = kernel_name(facts.symbol);
    if (!name) return FAIL_OUTPUT;
    shared_accesses_sum(variant, &work, index, &sums);
    point_write(writer, variant, &selected->point);
    CSV_INTEGERS(writer, index, (int64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
                 threads, facts.registers, facts.static_shared, (int64_t)launch->dynamic_shared,
                 facts.local, blocks);
    csv_number(writer, 100.0 * blocks * threads / device->threads_per_sm);
    csv_text(writer, limiter_text(factors, limiter));
    csv_number(writer, shared_accesses_excess(variant, &work, index));
    csv_integer(writer, facts.max_block_threads);
    if (known)
        CSV_NUMBERS(writer, counts.shuffles, counts.warp_reductions, counts.barriers,
                    counts.float_adds);
    else
        CSV_NUMBERS(writer, NAN, NAN, NAN, NAN);
    CSV_NUMBERS(writer, sums.load_wavefronts, sums.store_wavefronts, sums.load_ideal,
                sums.store_ideal);
    csv_text(writer, name);
    csv_number(writer, known && counts.loop_barriers >= 0 ? counts.loop_barriers : NAN);
    csv_end(writer);
    free(name);
    return 0;
}

int launch_resources_write(const struct workbench *bench, const struct selected *selected,
                           struct csv_writer *writer, unsigned *kernels)
{
    struct listed_kernel *list;
    int result = launch_kernels(bench, selected, &list, kernels);
    for (unsigned i = 0; i < *kernels && !result; i++)
        result = write_launch(bench, selected, i, &list[i], writer);
    free(list);
    return result;
}
