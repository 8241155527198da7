#include "gpu/launch_library.h"

#include <stdlib.h>

#include "base/message.h"
#include "gpu/driver_api.h"

int library_call(const struct workbench *bench, const struct selected *selected)
{
    const struct variant *variant = selected->variant;
    const struct work work = workbench_view(bench, selected);
    const int status = variant->call(&work, bench->device->stream);
    if (!status) return 0;
    return error(FAIL_GPU, "%s/%s: the library returned error %d", variant->family, variant->name,
                 status);
}

/* Asks the driver: the runtime knows only kernels that were registered with it, and those of cuBLAS
 * were not. */
static int read_kernel(CUgraphNode node, struct listed_kernel *kernel)
{
    PFN_cuGraphKernelNodeGetParams_v12000 get_parameters;
    PFN_cuKernelGetFunction_v12000 get_function;
    CUDA_KERNEL_NODE_PARAMS_v2 parameters;
    if (driver_find("cuGraphKernelNodeGetParams", 12000, &get_parameters) ||
        driver_find("cuKernelGetFunction", 12000, &get_function))
        return FAIL_GPU;
    if (!driver_ok(get_parameters(node, &parameters), "cuGraphKernelNodeGetParams"))
        return FAIL_GPU;
    kernel->driver_function = parameters.func;
    if (!parameters.func &&
        !driver_ok(get_function(&kernel->driver_function, parameters.kern), "cuKernelGetFunction"))
        return FAIL_GPU;
    kernel->launch =
        (struct launch){.grid = {parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ},
                        .block = {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ},
                        .dynamic_shared = parameters.sharedMemBytes};
    return 0;
}

/* A captured call also has nodes that are no kernels, such as memsets. A library queues on one
 * stream, so the nodes form a chain; the runtime lists them in the order of their adding. */
static int read_kernels(cudaGraph_t graph, struct listed_kernel **list, unsigned *count)
{
    size_t nodes = 0;
    if (!CUDA_OK(cudaGraphGetNodes(graph, NULL, &nodes))) return FAIL_GPU;
    cudaGraphNode_t *node = calloc(nodes + 1, sizeof *node);
    *list = calloc(nodes + 1, sizeof **list);
    int result = node && *list ? 0 : error_memory();
    if (!result && !CUDA_OK(cudaGraphGetNodes(graph, node, &nodes))) result = FAIL_GPU;
    for (size_t i = 0; i < nodes && !result; i++) {
        enum cudaGraphNodeType type;
        if (!CUDA_OK(cudaGraphNodeGetType(node[i], &type))) result = FAIL_GPU;
        if (!result && type == cudaGraphNodeTypeKernel)
            result = read_kernel(node[i], &(*list)[(*count)++]);
    }
    free(node);
    return result;
}

int library_kernels(const struct workbench *bench, const struct selected *selected,
                    struct listed_kernel **list, unsigned *count)
{
    cudaStream_t stream = bench->device->stream;
    cudaGraph_t graph = NULL;
    if (!CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal))) return FAIL_GPU;
    int result = library_call(bench, selected);
    if (!CUDA_OK(cudaStreamEndCapture(stream, &graph))) result = FAIL_GPU;
    if (!result) result = read_kernels(graph, list, count);
    if (graph) CUDA_RELEASE(cudaGraphDestroy(graph));
    return result;
}
