/*
 * Vendor baseline: cublasSgemm of cuBLAS in its default math mode.
 *
 * The library chooses among many ready-made kernels by the shape of the problem. In this mode it
 * may choose any kernel that computes with 32-bit floats; the tensor cores' shorter TF32 is not
 * used unless requested (cublasMath_t, cuBLAS documentation).
 */
#include "cublas.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "cuBLAS",
    .suffers = "The problem is the same.",
    .changes = "The vendor's library: cublasSgemm, which picks a ready-made kernel by the shape of "
               "the matrices.",
    .pays = "The choice follows rules of thumb: for some shapes another of its kernels would be "
            "faster.",
    .refuses = cublas_refuses,
    .call = cublas_multiply<CUBLAS_DEFAULT_MATH>,
};
