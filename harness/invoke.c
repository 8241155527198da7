#include "invoke.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

void invoke_plan(const struct workbench *bench, const struct variant *variant, const struct point *point, unsigned index,
               struct launch *launch)
{
    const struct work work = work_view(bench, variant, point);
    memset(launch, 0, sizeof *launch);
    for (int i = 0; i < 3; i++) launch->grid[i] = launch->block[i] = 1;
    variant->plan(&work, index, launch);
}

/* Shared memory that a function may use without being asked; more is granted to it by name. */
enum { GRANTED_BYTES = 48 << 10 };

static int grant_shared(const struct launch *launch)
{
    if (launch->dynamic_shared <= GRANTED_BYTES) return 0;
    return CUDA_OK(cudaFuncSetAttribute(launch->function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)launch->dynamic_shared))
               ? 0
               : FAIL_GPU;
}

/* No block may ask for more shared memory than the device gives to one. */
static int check_shared(const struct workbench *bench, const struct launch *launch, int *refused, char reason[160])
{
    const size_t most = bench->device->properties.sharedMemPerBlockOptin;
    struct cudaFuncAttributes function;
    size_t needed = launch->dynamic_shared;
    if (needed + GRANTED_BYTES <= most) return 0; /* no function has more static shared memory than that */
    if (needed <= most) {
        if (!CUDA_OK(cudaFuncGetAttributes(&function, launch->function))) return FAIL_GPU;
        needed += function.sharedSizeBytes;
    }
    *refused = needed > most;
    if (*refused) snprintf(reason, 160, "it needs %zu bytes of shared memory per block; the device has %zu", needed, most);
    return 0;
}

/* A grid that meets at a barrier must be resident as a whole. */
static int check_resident(const struct workbench *bench, const struct launch *launch, int *refused, char reason[160])
{
    const unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
    const unsigned long long blocks = (unsigned long long)launch->grid[0] * launch->grid[1] * launch->grid[2];
    int per_sm = 0;
    if (!bench->device->properties.cooperativeLaunch) {
        *refused = 1;
        snprintf(reason, 160, "the device has no cooperative launch");
        return 0;
    }
    if (grant_shared(launch) ||
        !CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, launch->function, (int)threads, launch->dynamic_shared)))
        return FAIL_GPU;
    const unsigned long long most = (unsigned long long)per_sm * (unsigned)bench->device->sm_count;
    *refused = blocks > most;
    if (*refused)
        snprintf(reason, 160, "a cooperative grid must be resident at once: it has %llu blocks of %u threads, %d SMs hold %llu", blocks,
                 threads, bench->device->sm_count, most);
    return 0;
}

int invoke_refuses(const struct workbench *bench, const struct variant *variant, const struct point *point, int *refused, char reason[160])
{
    const char *why = variant->refuses ? variant->refuses(point, bench->device->compute_capability) : NULL;
    *refused = why != NULL;
    if (why) snprintf(reason, 160, "%s", why);
    if (why || variant_kind(variant) != KIND_KERNEL) return 0;
    const unsigned count = variant->launch_count(point);
    int result = 0;
    for (unsigned i = 0; i < count && !*refused && !result; i++) {
        struct launch launch;
        invoke_plan(bench, variant, point, i, &launch);
        result = check_shared(bench, &launch, refused, reason);
        if (!result && launch.cooperative && !*refused) result = check_resident(bench, &launch, refused, reason);
    }
    return result;
}

int invoke_clear(const struct workbench *bench, const struct variant *variant, const struct point *point, unsigned index)
{
    struct launch launch;
    if (variant_kind(variant) != KIND_KERNEL) return 0;
    invoke_plan(bench, variant, point, index, &launch);
    if (!launch.clear_output) return 0;
    const struct work work = work_view(bench, variant, point);
    return CUDA_OK(cudaMemsetAsync(work.output, 0, bench->output.bytes, bench->device->stream)) ? 0 : FAIL_GPU;
}

static int call_library(const struct workbench *bench, const struct variant *variant, const struct point *point)
{
    const struct work work = work_view(bench, variant, point);
    const int status = variant->call(&work, bench->device->stream);
    if (status) return error(FAIL_GPU, "%s/%s: the library returned error %d", variant->family, variant->name, status);
    return 0;
}

int invoke(const struct workbench *bench, const struct variant *variant, const struct point *point, unsigned index)
{
    struct launch launch;
    void *argument[LAUNCH_ARGUMENTS];
    cudaStream_t stream = bench->device->stream;
    if (variant_kind(variant) == KIND_LIBRARY) return call_library(bench, variant, point);
    invoke_plan(bench, variant, point, index, &launch);
    for (int i = 0; i < launch.argument_count; i++) argument[i] = &launch.argument[i];
    const dim3 grid = {launch.grid[0], launch.grid[1], launch.grid[2]}, block = {launch.block[0], launch.block[1], launch.block[2]};
    if (grant_shared(&launch)) return FAIL_GPU;
    if (launch.cooperative)
        return CUDA_OK(cudaLaunchCooperativeKernel(launch.function, grid, block, argument, launch.dynamic_shared, stream)) ? 0 : FAIL_GPU;
    return CUDA_OK(cudaLaunchKernel(launch.function, grid, block, argument, launch.dynamic_shared, stream)) ? 0 : FAIL_GPU;
}

int invoke_all(const struct workbench *bench, const struct variant *variant, const struct point *point)
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

/* The kernel nodes of a captured call. A library queues on one stream, so they form a chain; the runtime lists nodes as they were added. */
static int read_kernels(cudaGraph_t graph, const struct variant *variant, struct launch **list, unsigned *count)
{
    size_t nodes = 0;
    if (!CUDA_OK(cudaGraphGetNodes(graph, NULL, &nodes))) return FAIL_GPU;
    cudaGraphNode_t *node = calloc(nodes + 1, sizeof *node);
    *list = calloc(nodes + 1, sizeof **list);
    int result = node && *list ? 0 : error_memory();
    if (!result && !CUDA_OK(cudaGraphGetNodes(graph, node, &nodes))) result = FAIL_GPU;
    for (size_t i = 0; i < nodes && !result; i++) {
        enum cudaGraphNodeType type;
        struct cudaKernelNodeParams parameters;
        if (!CUDA_OK(cudaGraphNodeGetType(node[i], &type))) result = FAIL_GPU;
        if (result || type != cudaGraphNodeTypeKernel) continue;
        if (cudaGraphKernelNodeGetParams(node[i], &parameters) != cudaSuccess) {
            cudaGetLastError();
            warning("%s/%s: the library does not tell which kernels it launches", variant->family, variant->name);
            *count = 0;
            break;
        }
        struct launch *launch = &(*list)[(*count)++];
        launch->function = parameters.func;
        launch->grid[0] = parameters.gridDim.x;
        launch->grid[1] = parameters.gridDim.y;
        launch->grid[2] = parameters.gridDim.z;
        launch->block[0] = parameters.blockDim.x;
        launch->block[1] = parameters.blockDim.y;
        launch->block[2] = parameters.blockDim.z;
        launch->dynamic_shared = parameters.sharedMemBytes;
    }
    free(node);
    return result;
}

static int library_kernels(const struct workbench *bench, const struct variant *variant, const struct point *point, struct launch **list,
                           unsigned *count)
{
    cudaStream_t stream = bench->device->stream;
    cudaGraph_t graph = NULL;
    if (!CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal))) return FAIL_GPU;
    int result = call_library(bench, variant, point);
    if (!CUDA_OK(cudaStreamEndCapture(stream, &graph))) result = FAIL_GPU;
    if (!result) result = read_kernels(graph, variant, list, count);
    if (graph) cudaGraphDestroy(graph);
    return result;
}

int invoke_kernels(const struct workbench *bench, const struct variant *variant, const struct point *point, struct launch **list,
                   unsigned *count)
{
    *list = NULL;
    *count = 0;
    if (variant_kind(variant) == KIND_CPU) return 0;
    if (variant_kind(variant) == KIND_LIBRARY) return library_kernels(bench, variant, point, list, count);
    *count = variant->launch_count(point);
    *list = calloc(*count + 1, sizeof **list);
    if (!*list) return error_memory();
    for (unsigned i = 0; i < *count; i++) {
        invoke_plan(bench, variant, point, i, &(*list)[i]);
        if (grant_shared(&(*list)[i])) return FAIL_GPU;
    }
    return 0;
}
