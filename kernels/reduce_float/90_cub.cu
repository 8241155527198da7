/*
 * Vendor baseline: cub::DeviceReduce::Sum of the CUDA Toolkit's CCCL.
 *
 * Two kernels, partial sums and a block that adds them, in a fixed order. What CUB wants to know of the device it asks the runtime in every call,
 * on the host; the time here is the kernels' alone, as for all rungs.
 */
#include <cub/device/device_reduce.cuh>

#include "reduce_float.h"

/* CUB's temporary storage comes first in the scratch buffer; the family's scratch has room for it. */
static int call(const struct work *work, void *stream)
{
    const float *in = static_cast<const float *>(work->input[0]);
    float *out = static_cast<float *>(work->output);
    size_t bytes = 0;
    cudaError_t status = cub::DeviceReduce::Sum(nullptr, bytes, in, out, work->point.shape.dim[0], static_cast<cudaStream_t>(stream));
    if (status == cudaSuccess && bytes > REDUCE_FLOAT_LIBRARY_BYTES) status = cudaErrorMemoryAllocation;
    if (status == cudaSuccess)
        status = cub::DeviceReduce::Sum(work->scratch, bytes, in, out, work->point.shape.dim[0], static_cast<cudaStream_t>(stream));
    return static_cast<int>(status);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "CUB",
    .suffers = "The same problem.",
    .changes = "The vendor's library: cub::DeviceReduce::Sum with its own choice of kernels.",
    .pays = "Two kernels, and a tuning that was made for the P100 and serves up to compute capability 9.0.",
    .call = call,
};
