/*
 * Launches kernels on the fake device, or captures them into a graph, and provides the functions
 * that nvcc's host code calls for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart.h"

/* Called by nvcc's host code. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global);

/* ---- graphs ---------------------------------------------------------------------------------- */

struct CUgraph_st *cudart_capturing;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (cudart_capturing) return failed(cudaErrorIllegalState);
    cudart_capturing = calloc(1, sizeof *cudart_capturing);
    if (!cudart_capturing) return failed(cudaErrorMemoryAllocation);
    fake_held("graphs", 1);
    return cudaSuccess;
}

static void end_graph(struct CUgraph_st *graph)
{
    free(graph);
    fake_held("graphs", -1);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    const cudaError_t status = entered(__func__);
    *graph = NULL;
    if (!cudart_capturing) return failed(cudaErrorIllegalState);
    if (status)
        end_graph(cudart_capturing);
    else
        *graph = cudart_capturing;
    cudart_capturing = NULL;
    return status;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    *count = (size_t)graph->count;
    for (int i = 0; i < graph->count && nodes; i++) nodes[i] = &graph->node[i];
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    const cudaError_t status = entered(__func__);
    *type = node->operation.kind == OPERATION_KERNEL ? cudaGraphNodeTypeKernel
                                                     : cudaGraphNodeTypeMemset;
    return status;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    const cudaError_t status = entered(__func__);
    end_graph(graph);
    return status;
}

/* ---- launches -------------------------------------------------------------------------------- */

static cudaError_t enqueue(const struct fake_launch *launch)
{
    if (!launch->kernel || !launch->kernel->run) return failed(cudaErrorNoKernelImageForDevice);
    const size_t granted = launch->kernel->max_dynamic_shared
                               ? (size_t)launch->kernel->max_dynamic_shared
                               : GUARANTEED_SHARED;
    const unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
    if (launch->shared > granted || !threads || threads > 1024 || !launch->grid[0])
        return failed(cudaErrorInvalidConfiguration);
    if (!cudart_capturing) {
        cudart_queued(OPERATION_KERNEL)->launch = *launch;
        return cudaSuccess;
    }
    if (cudart_capturing->count == GRAPH_NODES) return failed(cudaErrorStreamCaptureInvalidated);
    cudart_capturing->node[cudart_capturing->count].operation.kind = OPERATION_KERNEL;
    cudart_capturing->node[cudart_capturing->count++].operation.launch = *launch;
    return cudaSuccess;
}

static cudaError_t launch_kernel(struct fake_kernel *kernel, dim3 grid, dim3 block,
                                 void **arguments, size_t shared)
{
    struct fake_launch launch = {.kernel = kernel,
                                 .grid = {grid.x, grid.y, grid.z},
                                 .block = {block.x, block.y, block.z},
                                 .shared = shared};
    const char *bytes = kernel && kernel->arguments ? kernel->arguments : "";
    for (int i = 0; bytes[i] && i < FAKE_ARGUMENTS; i++)
        memcpy(&launch.argument[i], arguments[i], (size_t)(bytes[i] - '0'));
    return enqueue(&launch);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared, cudaStream_t stream)
{
    const cudaError_t status = entered(__func__);
    return status ? status
                  : launch_kernel(fake_kernel_find(function), grid, block, arguments, shared);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **arguments)
{
    const cudaError_t status = entered(__func__);
    return status ? status
                  : launch_kernel(fake_kernel_find(function), config->gridDim, config->blockDim,
                                  arguments, config->dynamicSmemBytes);
}

int fake_launch(struct fake_kernel *kernel, const unsigned grid[3], const unsigned block[3],
                const uint64_t *argument, int count, void *stream)
{
    struct fake_launch launch = {.kernel = kernel,
                                 .grid = {grid[0], grid[1], grid[2]},
                                 .block = {block[0], block[1], block[2]}};
    for (int i = 0; i < count; i++) launch.argument[i] = argument[i];
    const cudaError_t status = entered(__func__);
    return (int)(status ? status : enqueue(&launch));
}

/* ---- nvcc's host code ------------------------------------------------------------------------ */

static struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} configured;

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    *kernel = (cudaKernel_t)fake_kernel_find(function);
    return *kernel ? cudaSuccess : failed(cudaErrorInvalidDeviceFunction);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                               size_t shared, cudaStream_t stream)
{
    const cudaError_t status = entered(__func__);
    return status ? status
                  : launch_kernel((struct fake_kernel *)kernel, grid, block, arguments, shared);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    configured.grid = grid;
    configured.block = block;
    configured.shared = shared;
    configured.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = configured.grid;
    *block = configured.block;
    *shared = configured.shared;
    memcpy(stream, &configured.stream, sizeof configured.stream);
    return cudaSuccess;
}

void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
}

void __cudaUnregisterFatBinary(void **handle)
{
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp)
{
    enum { KERNELS = 256 };
    static struct fake_kernel registered[KERNELS];
    static int count;
    if (count == KERNELS) {
        fprintf(stderr, "fake: more than %d kernels are registered\n", KERNELS);
        abort();
    }
    struct fake_kernel *kernel = &registered[count++];
    kernel->function = host;
    kernel->symbol = name;
    fake_kernel_emulate(kernel);
    fake_kernel_add(kernel);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global)
{
}
