/*
 * Vendor baseline: cublasSgemm of cuBLAS in its pedantic math mode.
 *
 * Every step is done in the prescribed precision and in the standard way, which rules out whatever
 * the default mode may do to be faster (CUBLAS_PEDANTIC_MATH, cuBLAS documentation). Beside the
 * default mode it shows whether that mode does any such thing.
 */
#include "cublas.h"

VARIANT_DEFINITION = {
    VARIANT_IDENTITY,
    .title = "cuBLAS, pedantic",
    .suffers = "The same problem.",
    .changes = "The vendor's library again, held to plain 32-bit arithmetic in every step "
               "(CUBLAS_PEDANTIC_MATH).",
    .pays = "Fewer kernels to choose from.",
    .refuses = cublas_refuses,
    .call = cublas_multiply<CUBLAS_PEDANTIC_MATH>,
};
