/*
 * Vendor baseline: cublasSdot of cuBLAS.
 *
 * The result is stored on the device (the pointer mode of the device), as that of every rung; in
 * the other mode the call would wait for the device and copy the result to the host. The
 * library's workspace lies in the scratch memory and is not allocated during the call.
 */
#include "cublas.h"

static int dot(const struct work *work, void *stream)
{
    struct cublas *cublas = cublas_get();
    cublasStatus_t status = cublas_ready(cublas, CUBLAS_DEFAULT_MATH, work, stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->cublasSetPointerMode_v2_call(cublas->handle, CUBLAS_POINTER_MODE_DEVICE);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->cublasSdot_v2_64_call(
            cublas->handle, static_cast<int64_t>(work->point.shape.dim[0]),
            static_cast<const float *>(work->input[0]), 1,
            static_cast<const float *>(work->input[1]), 1, static_cast<float *>(work->output));
    return static_cast<int>(status);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "cuBLAS",
    .suffers = "The problem is the same.",
    .changes = "The vendor's library: cublasSdot, with the result on the device.",
    .pays = "The library needs a second kernel for the sum of the blocks.",
    .refuses = cublas_refuses_missing,
    .call = dot,
};
