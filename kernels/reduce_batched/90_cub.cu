/*
 * Vendor baseline: cub::DeviceSegmentedReduce::Sum of the CUDA Toolkit's CCCL.
 *
 * The library takes the offsets at which the segments begin and end. Here they are computed from
 * the number of the segment, so that no offsets are read from memory. One block sums each segment,
 * however long it is.
 */
#include "cub_sum.h"

#include <cub/device/device_segmented_reduce.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

/* Not in an unnamed namespace: the name of CUB's kernel would then depend on the file's path. */
struct start_of_batch {
    int64_t length;
    __host__ __device__ int64_t operator()(int64_t batch) const
    {
        return batch * length;
    }
};

static int sum(const struct work *work, void *stream)
{
    const int64_t batches = static_cast<int64_t>(work->point.shape.dim[0]),
                  length = static_cast<int64_t>(work->point.shape.dim[1]);
    const auto starts = thrust::make_transform_iterator(thrust::make_counting_iterator(int64_t{0}),
                                                        start_of_batch{length});
    const float *in = static_cast<const float *>(work->input[0]);
    float *out = static_cast<float *>(work->output);
    size_t bytes = 0;
    cudaError_t status = cub::DeviceSegmentedReduce::Sum(
        nullptr, bytes, in, out, batches, starts, starts + 1, static_cast<cudaStream_t>(stream));
    if (status == cudaSuccess && bytes > CUB_SCRATCH_BYTES) status = cudaErrorMemoryAllocation;
    if (status == cudaSuccess)
        status = cub::DeviceSegmentedReduce::Sum(work->scratch, bytes, in, out, batches, starts,
                                                 starts + 1, static_cast<cudaStream_t>(stream));
    return static_cast<int>(status);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "CUB",
    .suffers = "The problem is the same.",
    .changes = "The vendor's library: cub::DeviceSegmentedReduce::Sum, one block of 256 threads "
               "for each batch.",
    .pays = "A few long batches leave most SMs idle, and a short one most threads of its block.",
    .call = sum,
};
