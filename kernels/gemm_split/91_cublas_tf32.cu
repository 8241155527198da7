/*
 * Vendor baseline: cublasGemmEx of cuBLAS with arithmetic in TF32.
 */
#include "cublas.h"
#include "split.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "cuBLAS, TF32",
    .suffers = "The problem is the same.",
    .changes = "The vendor's library on tensor cores, one product of TF32 "
               "(CUBLAS_COMPUTE_32F_FAST_TF32).",
    .pays = "The result is as inaccurate as that of rung 1.",
    .tolerance = split_tolerance_tf32,
    .refuses = cublas_refuses,
    .call = cublas_multiply_as<CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32>,
};
