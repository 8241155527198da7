/*
 * Vendor baseline: cublasLt, with the fastest of the algorithms that it offers for the shape.
 *
 * Before the first timed call for a shape, each of up to 16 algorithms is timed on the device, and
 * the fastest is kept (cublaslt.h). The run names the kernel that was chosen.
 */
#include "cublaslt.h"
#include "tensor.h"

static size_t scratch_bytes(const struct shape *shape)
{
    return TENSOR_SCRATCH_BYTES(shape);
}

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "cublasLt, tried",
    .suffers = "The choice of cuBLAS follows rules of thumb.",
    .changes = "cublasLt lists up to 16 algorithms for the shape; each is timed on this device "
               "before the first timed call, and the fastest is used.",
    .pays = "The list itself follows rules of thumb.",
    .refuses = cublaslt_refuses,
    .call = cublaslt_multiply<CUDA_R_16BF, CUBLAS_COMPUTE_32F, scratch_bytes>,
};
