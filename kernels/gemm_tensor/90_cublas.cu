/*
 * Vendor baseline: cublasGemmEx of cuBLAS, bfloat16 with sums in float32.
 *
 * The library chooses among many ready-made kernels by the shape of the problem.
 */
#include "cublas.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "cuBLAS",
    .suffers = "The problem is the same.",
    .changes =
        "The vendor's library: cublasGemmEx, which picks a ready-made kernel by the shape of "
        "the matrices.",
    .pays = "The choice follows rules of thumb: for some shapes another of its kernels would be "
            "faster.",
    .refuses = cublas_refuses,
    .call = cublas_multiply_as<CUDA_R_16BF, CUBLAS_COMPUTE_32F>,
};
