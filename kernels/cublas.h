/*
 * Multiplies matrices with cuBLAS, for every family with that problem. The library is loaded on
 * first use, so that the program starts without it; it stays loaded, with its handle open, until
 * the process ends.
 */
#ifndef KERNELS_CUBLAS_H
#define KERNELS_CUBLAS_H

#include "catalog/variant.h"

/* The library's workspace, which a family's scratch buffer must hold: the size that NVIDIA
 * recommends for compute capability 9.0 and later (cuBLAS, cublasSetWorkspace), which is also what
 * the library would allocate for itself. */
#define CUBLAS_WORKSPACE_BYTES ((size_t)32 << 20)

#ifdef __CUDACC__
#include <cublas_v2.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "version.h"

/* To use another function of cuBLAS, add its exported name here. */
#define CUBLAS_FUNCTIONS(USE)                                                                      \
    USE(cublasCreate_v2)                                                                           \
    USE(cublasSetMathMode)                                                                         \
    USE(cublasSetStream_v2)                                                                        \
    USE(cublasSetWorkspace_v2)                                                                     \
    USE(cublasSgemm_v2)

#define CUBLAS_MEMBER(function) decltype(&function) function##_call;
struct cublas {
    int tried;
    void *library;         /* NULL when it cannot be loaded */
    cublasHandle_t handle; /* NULL before the first call */
    CUBLAS_FUNCTIONS(CUBLAS_MEMBER)
};
#undef CUBLAS_MEMBER

/* Looks for the library by name, then in the toolkit that the program was built with. */
static inline void *cublas_open_library()
{
    static const char name[] = "libcublas.so.13"; /* matches the header included above */
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    for (const char *from = WHYFAST_CUDA_LIBRARY_DIRS; !library && *from; from += *from == ':') {
        char path[4096];
        const int length = (int)strcspn(from, ":");
        if (snprintf(path, sizeof path, "%.*s/%s", length, from, name) < (int)sizeof path)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        from += length;
    }
    return library;
}

/* Returns the variant's single cuBLAS; library is NULL if it or one of its functions is missing. */
static inline struct cublas *cublas_get()
{
    static struct cublas cublas;
    if (cublas.tried) return &cublas;
    cublas.tried = 1;
    cublas.library = cublas_open_library();
#define CUBLAS_LOAD(function)                                                                      \
    if (cublas.library) {                                                                          \
        cublas.function##_call =                                                                   \
            reinterpret_cast<decltype(&function)>(dlsym(cublas.library, #function));               \
        if (!cublas.function##_call) cublas.library = NULL;                                        \
    }
    CUBLAS_FUNCTIONS(CUBLAS_LOAD)
#undef CUBLAS_LOAD
    return &cublas;
}

/* For variant.refuses. */
static inline const char *cublas_refuses(const struct point *point, int compute_capability)
{
    (void)compute_capability;
    for (int i = 0; i < point->shape.rank; i++)
        if (point->shape.dim[i] > INT_MAX)
            return "a side of a matrix has more than 2^31 - 1 elements, which cuBLAS does not take";
    if (!cublas_get()->library)
        return "cuBLAS (libcublas.so.13) cannot be loaded: install it, or put it on "
               "LD_LIBRARY_PATH";
    return NULL;
}

/* Returns the handle, set to this mode. */
static inline cublasStatus_t cublas_ready(struct cublas *cublas, cublasMath_t mode)
{
    if (!cublas->library) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (cublas->handle) return CUBLAS_STATUS_SUCCESS;
    cublasStatus_t status = cublas->cublasCreate_v2_call(&cublas->handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->cublasSetMathMode_call(cublas->handle, mode);
    if (status != CUBLAS_STATUS_SUCCESS)
        cublas->handle = NULL; /* the next call fails too, instead of running in another mode */
    return status;
}

/* For variant.call: queues C = A B, all row-major, shape M x N x K. cuBLAS is column-major and sees
 * a row-major matrix as its transpose, so the call computes C^T = B^T A^T. Setting the stream
 * resets the workspace, and without one cuBLAS would allocate another during a stream capture. */
template <cublasMath_t mode> static int cublas_multiply(const struct work *work, void *stream)
{
    const float one = 1, zero = 0;
    const int m = static_cast<int>(work->point.shape.dim[0]),
              n = static_cast<int>(work->point.shape.dim[1]);
    const int k = static_cast<int>(work->point.shape.dim[2]);
    const float *a = static_cast<const float *>(work->input[0]),
                *b = static_cast<const float *>(work->input[1]);
    struct cublas *cublas = cublas_get();
    cublasStatus_t status = cublas_ready(cublas, mode);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->cublasSetStream_v2_call(cublas->handle, static_cast<cudaStream_t>(stream));
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublas->cublasSetWorkspace_v2_call(cublas->handle, work->scratch,
                                                    CUBLAS_WORKSPACE_BYTES);
    if (status == CUBLAS_STATUS_SUCCESS)
        status =
            cublas->cublasSgemm_v2_call(cublas->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b,
                                        n, a, k, &zero, static_cast<float *>(work->output), n);
    return static_cast<int>(status);
}
#endif
#endif
