/*
 * Calls cuBLAS, for every family with a problem of its. Products of matrices are defined here:
 * floats with cublasSgemm, other elements and other arithmetic with cublasGemmEx; rungs of other
 * families call their functions themselves. The library is loaded on first use, so that the program
 * starts without it; it stays loaded, with its handle open, until the process ends.
 */
#ifndef KERNELS_CUBLAS_H
#define KERNELS_CUBLAS_H

#include "catalog/variant.h"

/* The library's workspace, which a family's scratch buffer must hold: the size that NVIDIA
 * recommends for compute capability 9.0 and later (cuBLAS, cublasSetWorkspace), which is also what
 * the library would allocate for itself. */
#define CUBLAS_WORKSPACE_BYTES ((size_t)32 << 20)

#ifdef __cplusplus
#include <cublas_v2.h>
#include <dlfcn.h>
#include <limits.h>

#include "gpu/cuda_library.h"

/* To use another function of cuBLAS, add its exported name here. */
#define CUBLAS_FUNCTIONS(USE)                                                                      \
    USE(cublasCreate_v2)                                                                           \
    USE(cublasGemmEx_64)                                                                           \
    USE(cublasSdot_v2_64)                                                                          \
    USE(cublasSetMathMode)                                                                         \
    USE(cublasSetPointerMode_v2)                                                                   \
    USE(cublasSetStream_v2)                                                                        \
    USE(cublasSetWorkspace_v2)                                                                     \
    USE(cublasSgemm_v2)                                                                            \
    USE(cublasSgemv_v2_64)

/* For the list of a library's functions: its member of a struct, and its loading from `from`, which
 * becomes NULL if the function is missing. */
#define LIBRARY_MEMBER(function) decltype(&function) function##_call;
#define LIBRARY_LOAD(from, function)                                                               \
    if ((from)->library) {                                                                         \
        (from)->function##_call =                                                                  \
            reinterpret_cast<decltype(&function)>(dlsym((from)->library, #function));              \
        if (!(from)->function##_call) (from)->library = NULL;                                      \
    }

struct cublas {
    int tried;
    void *library;         /* NULL when it cannot be loaded */
    cublasHandle_t handle; /* NULL before the first call */
    CUBLAS_FUNCTIONS(LIBRARY_MEMBER)
};

/* Returns the variant's single cuBLAS; library is NULL if it or one of its functions is missing. */
static inline struct cublas *cublas_get()
{
    static struct cublas cublas;
    if (cublas.tried) return &cublas;
    cublas.tried = 1;
    /* matches the header included above */
    cublas.library = cuda_library_open("libcublas.so.13", RTLD_NOW | RTLD_LOCAL);
#define CUBLAS_LOAD(function) LIBRARY_LOAD(&cublas, function)
    CUBLAS_FUNCTIONS(CUBLAS_LOAD)
#undef CUBLAS_LOAD
    return &cublas;
}

/* For variant.refuses of calls that take sides of 64 bits. */
static inline const char *cublas_refuses_missing(const struct point *point, int compute_capability)
{
    (void)point;
    (void)compute_capability;
    return cublas_get()->library
               ? NULL
               : "cuBLAS (libcublas.so.13) cannot be loaded: install it, or put it on "
                 "LD_LIBRARY_PATH";
}

static inline const char *cublas_refuses_large(const struct point *point)
{
    for (int i = 0; i < point->shape.rank; i++)
        if (point->shape.dim[i] > INT_MAX)
            return "a side of a matrix has more than 2^31 - 1 elements, which cuBLAS does not take";
    return NULL;
}

/* For variant.refuses of calls that take sides of 32 bits. */
static inline const char *cublas_refuses(const struct point *point, int compute_capability)
{
    const char *large = cublas_refuses_large(point);
    return large ? large : cublas_refuses_missing(point, compute_capability);
}

/* Sets the handle to this mode, the stream and the workspace. Setting the stream resets the
 * workspace, and without one cuBLAS would allocate another during a stream capture. */
static inline cublasStatus_t cublas_ready(struct cublas *cublas, cublasMath_t mode,
                                          const struct work *work, void *stream)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (!cublas->library) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!cublas->handle) {
        status = cublas->cublasCreate_v2_call(&cublas->handle);
        if (status == CUBLAS_STATUS_SUCCESS)
            status = cublas->cublasSetMathMode_call(cublas->handle, mode);
        if (status != CUBLAS_STATUS_SUCCESS)
            cublas->handle = NULL; /* the next call fails too, instead of running in another mode */
    }
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->cublasSetStream_v2_call(cublas->handle, static_cast<cudaStream_t>(stream));
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->cublasSetWorkspace_v2_call(cublas->handle, work->scratch,
                                                    CUBLAS_WORKSPACE_BYTES);
    return status;
}

/* The sides of the product, as the library takes them. It is column-major and sees a row-major
 * matrix as its transpose, so C = A B is computed as C^T = B^T A^T. */
struct cublas_sides {
    int m, n, k;
};

static inline struct cublas_sides cublas_sides_of(const struct work *work)
{
    const uint64_t *dim = work->point.shape.dim;
    return {static_cast<int>(dim[0]), static_cast<int>(dim[1]), static_cast<int>(dim[2])};
}

/* For variant.call: queues C = A B of floats, all row-major, shape M x N x K. */
template <cublasMath_t mode> static int cublas_multiply(const struct work *work, void *stream)
{
    const float one = 1, zero = 0;
    const struct cublas_sides sides = cublas_sides_of(work);
    const float *a = static_cast<const float *>(work->input[0]),
                *b = static_cast<const float *>(work->input[1]);
    struct cublas *cublas = cublas_get();
    cublasStatus_t status = cublas_ready(cublas, mode, work, stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->cublasSgemm_v2_call(cublas->handle, CUBLAS_OP_N, CUBLAS_OP_N, sides.n,
                                             sides.m, sides.k, &one, b, sides.n, a, sides.k, &zero,
                                             static_cast<float *>(work->output), sides.n);
    return static_cast<int>(status);
}

/* The same with A and B of this type and with this arithmetic; C is of floats. */
template <cudaDataType_t element, cublasComputeType_t compute>
static int cublas_multiply_as(const struct work *work, void *stream)
{
    const float one = 1, zero = 0;
    const struct cublas_sides sides = cublas_sides_of(work);
    struct cublas *cublas = cublas_get();
    cublasStatus_t status = cublas_ready(cublas, CUBLAS_DEFAULT_MATH, work, stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->cublasGemmEx_64_call(
            cublas->handle, CUBLAS_OP_N, CUBLAS_OP_N, sides.n, sides.m, sides.k, &one,
            work->input[1], element, sides.n, work->input[0], element, sides.k, &zero, work->output,
            CUDA_R_32F, sides.n, compute, CUBLAS_GEMM_DEFAULT);
    return static_cast<int>(status);
}
#endif
#endif
