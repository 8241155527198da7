/*
 * Vendor baseline: cublasSgemv of cuBLAS, the product of the batches and a vector of ones.
 *
 * The batches are the rows of a matrix, and their sums are its product with a vector of ones. The
 * first call for a length fills that vector, so that it is not in the time; later calls only read
 * it. It stays until the process ends, as the library's handle does, because the harness overwrites
 * the scratch memory between launches.
 */
#include <algorithm>

#include "cublas.h"

/* Sets *ones to a vector of at least `count` ones. A longer one than before can be allocated only
 * outside of a capture; the harness calls a library once before it captures, holds or times a call.
 */
static cudaError_t get_ones(uint64_t count, cudaStream_t stream, float **ones)
{
    static const float one = 1;
    static float *vector;
    static uint64_t length;
    cudaError_t status = cudaSuccess;
    if (length < count) {
        length = 0;
        status = cudaFree(vector);
        vector = NULL;
        if (status == cudaSuccess)
            status = cudaMalloc(reinterpret_cast<void **>(&vector), count * sizeof one);
        if (status == cudaSuccess)
            status = cudaMemcpyAsync(vector, &one, sizeof one, cudaMemcpyHostToDevice, stream);
        for (uint64_t done = 1; done < count && status == cudaSuccess; done *= 2)
            status =
                cudaMemcpyAsync(vector + done, vector, std::min(done, count - done) * sizeof one,
                                cudaMemcpyDeviceToDevice, stream);
        if (status == cudaSuccess) length = count;
    }
    *ones = vector;
    return status;
}

/* The library is column-major: it sees the batches as the columns of a matrix. */
static int multiply(const struct work *work, void *stream)
{
    const float one = 1, zero = 0;
    const int64_t batches = static_cast<int64_t>(work->point.shape.dim[0]),
                  length = static_cast<int64_t>(work->point.shape.dim[1]);
    float *ones;
    struct cublas *cublas = cublas_get();
    cublasStatus_t status = cublas_ready(cublas, CUBLAS_DEFAULT_MATH, work, stream);
    if (status == CUBLAS_STATUS_SUCCESS &&
        get_ones(work->point.shape.dim[1], static_cast<cudaStream_t>(stream), &ones) != cudaSuccess)
        status = CUBLAS_STATUS_ALLOC_FAILED;
    if (status == CUBLAS_STATUS_SUCCESS)
        status =
            cublas->cublasSgemv_v2_64_call(cublas->handle, CUBLAS_OP_T, length, batches, &one,
                                           static_cast<const float *>(work->input[0]), length, ones,
                                           1, &zero, static_cast<float *>(work->output), 1);
    return static_cast<int>(status);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "cuBLAS, matrix times ones",
    .suffers = "The problem is the same.",
    .changes = "The vendor's library: cublasSgemv, which multiplies the matrix of the batches by a "
               "vector of ones.",
    .pays = "The ones are read as well, and each element is multiplied.",
    .refuses = cublas_refuses_missing,
    .call = multiply,
};
