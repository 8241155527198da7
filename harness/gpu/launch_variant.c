#include "gpu/launch_variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "gpu/launch_library.h"
#include "gpu/tensor_map.h"
#include "run/nvtx.h"

void launch_plan(const struct workbench *bench, const struct selected *selected, unsigned index,
                 struct launch *launch)
{
    const struct work work = workbench_view(bench, selected);
    memset(launch, 0, sizeof *launch);
    for (int i = 0; i < 3; i++) launch->grid[i] = launch->block[i] = 1;
    selected->variant->plan(&work, index, launch);
}

/* A function may use this much; more must be granted to it by name. */
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

/* The launch as the runtime takes it; `attribute` must live as long. */
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

/* A block can have no more shared memory than the device gives to one. */
static int check_shared(const struct workbench *bench, const struct launch *launch,
                        char reason[160])
{
    const size_t most = bench->device->properties.sharedMemPerBlockOptin;
    struct cudaFuncAttributes function;
    size_t needed = launch->dynamic_shared;
    if (needed + GRANTED_BYTES <= most) return 0; /* no function has more static shared memory */
    if (needed <= most) {
        if (!CUDA_OK(cudaFuncGetAttributes(&function, launch->function))) return FAIL_GPU;
        needed += function.sharedSizeBytes;
    }
    if (needed > most)
        snprintf(reason, 160, "it needs %zu bytes of shared memory per block; the device has %zu",
                 needed, most);
    return 0;
}

/* A grid that meets at a barrier must be resident as a whole. */
static int check_resident(const struct workbench *bench, const struct launch *launch,
                          char reason[160])
{
    const int threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    const int sms = bench->device->sm_count;
    const unsigned long long blocks =
        (unsigned long long)launch->grid[0] * launch->grid[1] * launch->grid[2];
    int per_sm = 0;
    if (!launch->cooperative) return 0;
    if (!bench->device->properties.cooperativeLaunch) {
        snprintf(reason, 160, "the device has no cooperative launch");
        return 0;
    }
    if (grant(launch) || !CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &per_sm, launch->function, threads, launch->dynamic_shared)))
        return FAIL_GPU;
    const unsigned long long most = (unsigned long long)per_sm * (unsigned)sms;
    if (blocks > most)
        snprintf(reason, 160,
                 "a cooperative grid must be resident at once: it has %llu blocks of %d threads, "
                 "%d SMs hold %llu",
                 blocks, threads, sms, most);
    return 0;
}

/* Tensor maps and clusters need compute capability 9.0, and a cluster must be resident as a whole.
 */
static int check_cluster(const struct workbench *bench, const struct launch *launch,
                         char reason[160])
{
    struct cudaLaunchAttribute_st attribute[2];
    const cudaLaunchConfig_t config = launch_config(launch, bench->device->stream, attribute);
    const int capability = bench->device->compute_capability;
    int clusters = 0;
    if ((launch->tensor_map_count || launch->cluster) && capability < 90)
        snprintf(reason, 160,
                 "it %s, for which the device must have compute capability 9.0 or more; it has "
                 "%d.%d",
                 launch->tensor_map_count ? "copies by tensor maps" : "launches clusters of blocks",
                 capability / 10, capability % 10);
    if (*reason || !launch->cluster) return 0;
    if (grant(launch) ||
        !CUDA_OK(cudaOccupancyMaxActiveClusters(&clusters, launch->function, &config)))
        return FAIL_GPU;
    if (clusters < 1)
        snprintf(reason, 160, "the device cannot hold a cluster of %u such blocks at once",
                 launch->cluster);
    return 0;
}

int launch_refused(const struct workbench *bench, const struct selected *selected, char reason[160])
{
    static int (*const checks[])(const struct workbench *bench, const struct launch *launch,
                                 char reason[160]) = {check_shared, check_cluster, check_resident};
    const struct variant *variant = selected->variant;
    const char *why = variant->refuses
                          ? variant->refuses(&selected->point, bench->device->compute_capability)
                          : NULL;
    snprintf(reason, 160, "%s", why ? why : "");
    if (why || variant_kind(variant) != KIND_KERNEL) return 0;
    const unsigned count = variant_launches(variant, &selected->point);
    int result = 0;
    for (unsigned i = 0; i < count; i++) {
        struct launch launch;
        launch_plan(bench, selected, i, &launch);
        for (int check = 0; check < 3 && !result && !*reason; check++)
            result = checks[check](bench, &launch, reason);
        if (result || *reason) break;
    }
    return result;
}

int launch_clear(const struct workbench *bench, const struct selected *selected, unsigned index)
{
    struct launch launch;
    if (variant_kind(selected->variant) != KIND_KERNEL) return 0;
    launch_plan(bench, selected, index, &launch);
    const struct work work = workbench_view(bench, selected);
    cudaStream_t stream = bench->device->stream;
    if (launch.clear_output &&
        !CUDA_OK(cudaMemsetAsync(work.output, 0, bench->output.bytes, stream)))
        return FAIL_GPU;
    if (launch.clear_scratch &&
        !CUDA_OK(cudaMemsetAsync(work.scratch, 0, launch.clear_scratch, stream)))
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

int launch_queue(const struct workbench *bench, const struct selected *selected, unsigned index)
{
    const int calls = variant_kind(selected->variant) == KIND_LIBRARY;
    struct launch launch;
    if (!calls) launch_plan(bench, selected, index, &launch);
    nvtx_launch(selected->variant, index, calls ? NULL : &launch);
    const int result = calls ? library_call(bench, selected) : launch_kernel(bench, &launch);
    nvtx_end();
    return result;
}

int launch_all(const struct workbench *bench, const struct selected *selected)
{
    if (variant_kind(selected->variant) == KIND_CPU) {
        const struct work work = workbench_view(bench, selected);
        selected->variant->host(&work);
        return 0;
    }
    const unsigned count = variant_launches(selected->variant, &selected->point);
    int result = 0;
    for (unsigned i = 0; i < count && !result; i++) {
        result = launch_clear(bench, selected, i);
        if (!result) result = launch_queue(bench, selected, i);
    }
    return result;
}

int launch_kernels(const struct workbench *bench, const struct selected *selected,
                   struct listed_kernel **list, unsigned *count)
{
    *list = NULL;
    *count = 0;
    if (variant_kind(selected->variant) == KIND_CPU) return 0;
    if (variant_kind(selected->variant) == KIND_LIBRARY)
        return library_kernels(bench, selected, list, count);
    *count = variant_launches(selected->variant, &selected->point);
    *list = calloc(*count + 1, sizeof **list);
    if (!*list) return error_memory();
    for (unsigned i = 0; i < *count; i++) {
        launch_plan(bench, selected, i, &(*list)[i].launch);
        if (grant(&(*list)[i].launch)) return FAIL_GPU;
    }
    return 0;
}
