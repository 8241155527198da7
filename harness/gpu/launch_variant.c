#include "gpu/launch_variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "gpu/launch_library.h"
#include "gpu/tensor_map.h"
#include "run/nvtx.h"

void invoke_plan(const struct workbench *bench, const struct variant *variant,
                 const struct point *point, unsigned index, struct launch *launch)
{
    const struct work work = work_view(bench, variant, point);
    memset(launch, 0, sizeof *launch);
    for (int i = 0; i < 3; i++) launch->grid[i] = launch->block[i] = 1;
    variant->plan(&work, index, launch);
}

/* What a function may use without being asked; more is granted to it by name. */
enum { GRANTED_BYTES = 48 << 10, GRANTED_CLUSTER = 8 };

static int grant(const struct launch *launch)
{
    if (launch->dynamic_shared > GRANTED_BYTES &&
        !CUDA_OK(cudaFuncSetAttribute(launch->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)launch->dynamic_shared)))
        return FAIL_GPU;
    if (launch->cluster > GRANTED_CLUSTER &&
        !CUDA_OK(cudaFuncSetAttribute(launch->function,
                                      cudaFuncAttributeNonPortableClusterSizeAllowed, 1)))
        return FAIL_GPU;
    return 0;
}

/* The launch's shape as the runtime takes it; `attribute` must have room for both and live as
 * long. */
static cudaLaunchConfig_t launch_config(const struct launch *launch, cudaStream_t stream,
                                        struct cudaLaunchAttribute_st attribute[2])
{
    cudaLaunchConfig_t config = {.gridDim = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                 .blockDim = {launch->block[0], launch->block[1], launch->block[2]},
                                 .dynamicSmemBytes = launch->dynamic_shared,
                                 .stream = stream,
                                 .attrs = attribute};
    memset(attribute, 0, 2 * sizeof *attribute);
    if (launch->cooperative) {
        attribute[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attribute[config.numAttrs++].val.cooperative = 1;
    }
    if (launch->cluster) {
        attribute[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attribute[config.numAttrs].val.clusterDim.x = launch->cluster;
        attribute[config.numAttrs].val.clusterDim.y = 1;
        attribute[config.numAttrs++].val.clusterDim.z = 1;
    }
    return config;
}

/* No block may ask for more shared memory than the device gives to one. */
static int check_shared(const struct workbench *bench, const struct launch *launch, int *refused,
                        char reason[160])
{
    const size_t most = bench->device->properties.sharedMemPerBlockOptin;
    struct cudaFuncAttributes function;
    size_t needed = launch->dynamic_shared;
    if (needed + GRANTED_BYTES <= most)
        return 0; /* no function has more static shared memory than that */
    if (needed <= most) {
        if (!CUDA_OK(cudaFuncGetAttributes(&function, launch->function))) return FAIL_GPU;
        needed += function.sharedSizeBytes;
    }
    *refused = needed > most;
    if (*refused)
        snprintf(reason, 160, "it needs %zu bytes of shared memory per block; the device has %zu",
                 needed, most);
    return 0;
}

/* A grid that meets at a barrier must be resident as a whole. */
static int check_resident(const struct workbench *bench, const struct launch *launch, int *refused,
                          char reason[160])
{
    const unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
    const unsigned long long blocks =
        (unsigned long long)launch->grid[0] * launch->grid[1] * launch->grid[2];
    int per_sm = 0;
    if (!bench->device->properties.cooperativeLaunch) {
        *refused = 1;
        snprintf(reason, 160, "the device has no cooperative launch");
        return 0;
    }
    if (grant(launch) || !CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &per_sm, launch->function, (int)threads, launch->dynamic_shared)))
        return FAIL_GPU;
    const unsigned long long most = (unsigned long long)per_sm * (unsigned)bench->device->sm_count;
    *refused = blocks > most;
    if (*refused)
        snprintf(reason, 160,
                 "a cooperative grid must be resident at once: it has %llu blocks of %u threads, "
                 "%d SMs hold %llu",
                 blocks, threads, bench->device->sm_count, most);
    return 0;
}

/* Tensor maps and clusters came with compute capability 9.0, and a cluster must be resident as a
 * whole. */
static int check_new(const struct workbench *bench, const struct launch *launch, int *refused,
                     char reason[160])
{
    struct cudaLaunchAttribute_st attribute[2];
    const cudaLaunchConfig_t config = launch_config(launch, bench->device->stream, attribute);
    int clusters = 0;
    *refused =
        (launch->tensor_map_count || launch->cluster) && bench->device->compute_capability < 90;
    if (*refused) {
        snprintf(
            reason, 160,
            "it %s, for which the device must have compute capability 9.0 or more; it has %d.%d",
            launch->tensor_map_count ? "copies by tensor maps" : "launches clusters of blocks",
            bench->device->compute_capability / 10, bench->device->compute_capability % 10);
        return 0;
    }
    if (!launch->cluster) return 0;
    if (grant(launch) ||
        !CUDA_OK(cudaOccupancyMaxActiveClusters(&clusters, launch->function, &config)))
        return FAIL_GPU;
    *refused = clusters < 1;
    if (*refused)
        snprintf(reason, 160, "the device cannot hold a cluster of %u such blocks at once",
                 launch->cluster);
    return 0;
}

int invoke_refuses(const struct workbench *bench, const struct variant *variant,
                   const struct point *point, int *refused, char reason[160])
{
    const char *why =
        variant->refuses ? variant->refuses(point, bench->device->compute_capability) : NULL;
    *refused = why != NULL;
    if (why) snprintf(reason, 160, "%s", why);
    if (why || variant_kind(variant) != KIND_KERNEL) return 0;
    const unsigned count = variant_launches(variant, point);
    int result = 0;
    for (unsigned i = 0; i < count && !*refused && !result; i++) {
        struct launch launch;
        invoke_plan(bench, variant, point, i, &launch);
        result = check_shared(bench, &launch, refused, reason);
        if (!result && !*refused) result = check_new(bench, &launch, refused, reason);
        if (!result && launch.cooperative && !*refused)
            result = check_resident(bench, &launch, refused, reason);
    }
    return result;
}

int invoke_clear(const struct workbench *bench, const struct variant *variant,
                 const struct point *point, unsigned index)
{
    struct launch launch;
    if (variant_kind(variant) != KIND_KERNEL) return 0;
    invoke_plan(bench, variant, point, index, &launch);
    const struct work work = work_view(bench, variant, point);
    if (launch.clear_output &&
        !CUDA_OK(cudaMemsetAsync(work.output, 0, bench->output.bytes, bench->device->stream)))
        return FAIL_GPU;
    if (launch.clear_scratch &&
        !CUDA_OK(cudaMemsetAsync(work.scratch, 0, launch.clear_scratch, bench->device->stream)))
        return FAIL_GPU;
    return 0;
}

static int launch_kernel(const struct workbench *bench, struct launch *launch)
{
    CUtensorMap map[TENSOR_MAPS];
    void *argument[TENSOR_MAPS + LAUNCH_ARGUMENTS];
    struct cudaLaunchAttribute_st attribute[2];
    for (int i = 0; i < launch->tensor_map_count; i++) {
        if (tensor_map_encode(&launch->tensor_map[i], &map[i])) return FAIL_GPU;
        argument[i] = &map[i];
    }
    for (int i = 0; i < launch->argument_count; i++)
        argument[launch->tensor_map_count + i] = &launch->argument[i];
    if (grant(launch)) return FAIL_GPU;
    const cudaLaunchConfig_t config = launch_config(launch, bench->device->stream, attribute);
    return CUDA_OK(cudaLaunchKernelExC(&config, launch->function, argument)) ? 0 : FAIL_GPU;
}

int invoke(const struct workbench *bench, const struct variant *variant, const struct point *point,
           unsigned index)
{
    const int calls = variant_kind(variant) == KIND_LIBRARY;
    struct launch launch;
    if (!calls) invoke_plan(bench, variant, point, index, &launch);
    nvtx_launch(variant, index, calls ? NULL : &launch);
    const int result = calls ? library_call(bench, variant, point) : launch_kernel(bench, &launch);
    nvtx_end();
    return result;
}

int invoke_all(const struct workbench *bench, const struct variant *variant,
               const struct point *point)
{
    if (variant_kind(variant) == KIND_CPU) {
        const struct work work = work_view(bench, variant, point);
        variant->host(&work);
        return 0;
    }
    const unsigned count = variant_launches(variant, point);
    for (unsigned i = 0; i < count; i++) {
        int result = invoke_clear(bench, variant, point, i);
        if (!result) result = invoke(bench, variant, point, i);
        if (result) return result;
    }
    return 0;
}

int invoke_kernels(const struct workbench *bench, const struct variant *variant,
                   const struct point *point, struct listed_kernel **list, unsigned *count)
{
    *list = NULL;
    *count = 0;
    if (variant_kind(variant) == KIND_CPU) return 0;
    if (variant_kind(variant) == KIND_LIBRARY)
        return library_kernels(bench, variant, point, list, count);
    *count = variant_launches(variant, point);
    *list = calloc(*count + 1, sizeof **list);
    if (!*list) return error_memory();
    for (unsigned i = 0; i < *count; i++) {
        invoke_plan(bench, variant, point, i, &(*list)[i].launch);
        if (grant(&(*list)[i].launch)) return FAIL_GPU;
    }
    return 0;
}
