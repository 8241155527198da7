/*
 * A sum by cub::DeviceReduce::Sum of the CUDA Toolkit's CCCL, for every family whose problem it is.
 * Nothing is owned.
 */
#ifndef KERNELS_CUB_SUM_H
#define KERNELS_CUB_SUM_H

#include "catalog/variant.h"

/* Room for CUB's temporary storage, which a family's scratch buffer must have. */
enum { CUB_SCRATCH_BYTES = 1 << 20 };

#ifdef __CUDACC__
#include <cub/device/device_reduce.cuh>

/* For variant.call: asks CUB how much temporary storage it wants, and queues the sum. */
template <typename T> static int cub_sum(const struct work *work, void *stream)
{
    const T *in = static_cast<const T *>(work->input[0]);
    T *out = static_cast<T *>(work->output);
    size_t bytes = 0;
    cudaError_t status = cub::DeviceReduce::Sum(nullptr, bytes, in, out, work->point.shape.dim[0],
                                                static_cast<cudaStream_t>(stream));
    if (status == cudaSuccess && bytes > CUB_SCRATCH_BYTES) status = cudaErrorMemoryAllocation;
    if (status == cudaSuccess)
        status = cub::DeviceReduce::Sum(work->scratch, bytes, in, out, work->point.shape.dim[0],
                                        static_cast<cudaStream_t>(stream));
    return static_cast<int>(status);
}
#endif
#endif
