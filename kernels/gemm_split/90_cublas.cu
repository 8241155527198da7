/*
 * Vendor baseline: cublasSgemm of cuBLAS in its default math mode, the yardstick of both speed and
 * accuracy.
 */
#include "cublas.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "cuBLAS, floats",
    .suffers = "The problem is the same.",
    .changes = "The vendor's library on CUDA cores: cublasSgemm.",
    .pays = "The tensor cores are idle.",
    .refuses = cublas_refuses,
    .call = cublas_multiply<CUBLAS_DEFAULT_MATH>,
};
