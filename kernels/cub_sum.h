/*
 * Sums with cub::DeviceReduce::Sum from the CUDA Toolkit's CCCL, for every family that adds up.
 * Nothing is owned.
 */
#ifndef KERNELS_CUB_SUM_H
#define KERNELS_CUB_SUM_H

#include "catalog/variant.h"

/* The size of CUB's temporary storage, which a family's scratch buffer must hold. */
enum { CUB_SCRATCH_BYTES = 1 << 20 };

#ifdef __CUDACC__
#define CCCL_DISABLE_NVTX /* this and bfloat16 are not used here, and take time to compile */
#define CCCL_DISABLE_BF16_SUPPORT
#include <cub/device/device_reduce.cuh>

/* For variant.call: asks CUB for the size of its temporary storage and queues the sum. */
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
