/*
 * Vendor baseline: cublasLt with emulated floats, nine products of bfloat16 pieces.
 *
 * The library splits floats into three bfloat16, as rung 3 does, and multiplies all nine pairs. It
 * offers this for some devices only.
 */
#include "cublaslt.h"
#include "split.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "cublasLt, emulated",
    .suffers = "The problem is the same.",
    .changes = "The vendor's library on tensor cores, nine products of bfloat16 pieces "
               "(CUBLAS_COMPUTE_32F_EMULATED_16BFX9), the fastest of its algorithms.",
    .pays = "Nine products take the place of one.",
    .refuses = cublaslt_refuses_arithmetic<CUDA_R_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9>,
    .call = cublaslt_multiply<CUDA_R_32F, CUBLAS_COMPUTE_32F_EMULATED_16BFX9, split_scratch_bytes>,
};
