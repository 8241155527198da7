/*
 * Vendor baseline: cublasSgemm of cuBLAS in its pedantic math mode.
 *
 * Every step uses the prescribed precision and the standard method, which rules out any shortcuts
 * of the default mode (CUBLAS_PEDANTIC_MATH, cuBLAS documentation). The comparison shows whether
 * the default mode takes such shortcuts.
 */
#include "cublas.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "cuBLAS, pedantic",
    .suffers = "The problem is the same.",
    .changes = "The vendor's library again, restricted to plain 32-bit arithmetic in every step "
               "(CUBLAS_PEDANTIC_MATH).",
    .pays = "The library has fewer kernels to choose from.",
    .refuses = cublas_refuses,
    .call = cublas_multiply<CUBLAS_PEDANTIC_MATH>,
};
