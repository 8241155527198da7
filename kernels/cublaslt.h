/*
 * Multiplies matrices with cublasLt, for every family with that problem. The library offers a list
 * of algorithms for a shape, the best first by its rules of thumb. The first call for a shape tries
 * them on the device and the fastest is kept: an algorithm is a kernel with its tile, its number of
 * splits along K and so on, and the run names the kernel. Loaded as cuBLAS is (cublas.h).
 *
 * The trials need the stream, so the first call must not be captured or held; the harness calls a
 * library once before it times, captures or counts a call. A trial is timed as the harness times,
 * after the L2 cache was overwritten, and the algorithms take turns, so that a change of the clock
 * is common to all. Of algorithms that are within 1 % of the fastest, the first of the list is
 * kept, so that noise rarely changes the choice.
 */
#ifndef KERNELS_CUBLASLT_H
#define KERNELS_CUBLASLT_H

#include "cublas.h"

#include <algorithm>
#include <cublasLt.h>

enum {
    CUBLASLT_ALGORITHMS = 16, /* most that are tried */
    CUBLASLT_ROUNDS = 7,      /* trials of each; the first is not counted */
    CUBLASLT_SHAPES = 64      /* whose choices are kept */
};

/* To use another function of cublasLt, add its name here. */
#define CUBLASLT_FUNCTIONS(USE)                                                                    \
    USE(cublasLtCreate)                                                                            \
    USE(cublasLtMatmul)                                                                            \
    USE(cublasLtMatmulAlgoCapGetAttribute)                                                         \
    USE(cublasLtMatmulAlgoGetHeuristic)                                                            \
    USE(cublasLtMatmulDescCreate)                                                                  \
    USE(cublasLtMatmulDescDestroy)                                                                 \
    USE(cublasLtMatmulPreferenceCreate)                                                            \
    USE(cublasLtMatmulPreferenceDestroy)                                                           \
    USE(cublasLtMatmulPreferenceSetAttribute)                                                      \
    USE(cublasLtMatrixLayoutCreate)                                                                \
    USE(cublasLtMatrixLayoutDestroy)

struct cublaslt_choice {
    struct shape shape;
    cublasLtMatmulAlgo_t algorithm;
};

struct cublaslt {
    int tried;
    void *library;           /* NULL when it cannot be loaded */
    cublasLtHandle_t handle; /* NULL before the first call */
    int chosen;              /* of all times; the latest CUBLASLT_SHAPES are kept */
    struct cublaslt_choice choice[CUBLASLT_SHAPES];
    CUBLASLT_FUNCTIONS(LIBRARY_MEMBER)
};

/* Returns the variant's single cublasLt; library is NULL if it or one of its functions is missing.
 */
static inline struct cublaslt *cublaslt_get()
{
    static struct cublaslt lt;
    if (lt.tried) return &lt;
    lt.tried = 1;
    /* matches the header included above */
    lt.library = cuda_library_open("libcublasLt.so.13", RTLD_NOW | RTLD_LOCAL);
#define CUBLASLT_LOAD(function) LIBRARY_LOAD(&lt, function)
    CUBLASLT_FUNCTIONS(CUBLASLT_LOAD)
#undef CUBLASLT_LOAD
    return &lt;
}

static inline cublasStatus_t cublaslt_open(struct cublaslt *lt)
{
    if (!lt->library) return CUBLAS_STATUS_NOT_INITIALIZED;
    return lt->handle ? CUBLAS_STATUS_SUCCESS : lt->cublasLtCreate_call(&lt->handle);
}

/* For variant.refuses. */
static inline const char *cublaslt_refuses(const struct point *point, int compute_capability)
{
    (void)compute_capability;
    if (cublas_refuses_large(point)) return cublas_refuses_large(point);
    if (!cublaslt_get()->library)
        return "cublasLt (libcublasLt.so.13) cannot be loaded: install it, or put it on "
               "LD_LIBRARY_PATH";
    return NULL;
}

/* ---- one product, described ------------------------------------------------------------------ */

/* C^T = B^T A^T, as in cublas.h. `first` is B and `second` is A. */
struct cublaslt_product {
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t first, second, result;
};

static inline void cublaslt_forget(const struct cublaslt *lt,
                                   const struct cublaslt_product *product)
{
    if (product->operation) lt->cublasLtMatmulDescDestroy_call(product->operation);
    if (product->first) lt->cublasLtMatrixLayoutDestroy_call(product->first);
    if (product->second) lt->cublasLtMatrixLayoutDestroy_call(product->second);
    if (product->result) lt->cublasLtMatrixLayoutDestroy_call(product->result);
}

/* The caller forgets the product, also after a failure. */
static inline cublasStatus_t cublaslt_describe(const struct cublaslt *lt, const struct shape *shape,
                                               cudaDataType_t element, cublasComputeType_t compute,
                                               struct cublaslt_product *product)
{
    const uint64_t m = shape->dim[0], n = shape->dim[1], k = shape->dim[2];
    *product = {};
    cublasStatus_t status =
        lt->cublasLtMatmulDescCreate_call(&product->operation, compute, CUDA_R_32F);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = lt->cublasLtMatrixLayoutCreate_call(&product->first, element, n, k, (int64_t)n);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = lt->cublasLtMatrixLayoutCreate_call(&product->second, element, k, m, (int64_t)k);
    if (status == CUBLAS_STATUS_SUCCESS)
        status =
            lt->cublasLtMatrixLayoutCreate_call(&product->result, CUDA_R_32F, n, m, (int64_t)n);
    return status;
}

static inline cublasStatus_t cublaslt_queue(const struct cublaslt *lt,
                                            const struct cublaslt_product *product,
                                            const cublasLtMatmulAlgo_t *algorithm,
                                            const struct work *work, cudaStream_t stream)
{
    const float one = 1, zero = 0;
    return lt->cublasLtMatmul_call(lt->handle, product->operation, &one, work->input[1],
                                   product->first, work->input[0], product->second, &zero,
                                   work->output, product->result, work->output, product->result,
                                   algorithm, work->scratch, CUBLAS_WORKSPACE_BYTES, stream);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* Returns whether the algorithm computes floats by products of shorter numbers. */
static inline bool cublaslt_emulates(const struct cublaslt *lt,
                                     const cublasLtMatmulHeuristicResult_t &result)
{
    int32_t emulates = 0;
    size_t written;
    return lt->cublasLtMatmulAlgoCapGetAttribute_call(
               &result.algo, CUBLASLT_ALGO_CAP_FLOATING_POINT_EMULATION_SUPPORT, &emulates,
               sizeof emulates, &written) == CUBLAS_STATUS_SUCCESS &&
           emulates;
}

/* Lists at most CUBLASLT_ALGORITHMS algorithms, the library's favourite first. If emulated
 * arithmetic is asked for, those are left out that compute with floats instead. */
static inline cublasStatus_t cublaslt_list(const struct cublaslt *lt,
                                           const struct cublaslt_product *product,
                                           cublasComputeType_t compute,
                                           cublasLtMatmulHeuristicResult_t *list, int *count)
{
    const size_t workspace = CUBLAS_WORKSPACE_BYTES;
    cublasLtMatmulPreference_t preference = NULL;
    *count = 0;
    cublasStatus_t status = lt->cublasLtMatmulPreferenceCreate_call(&preference);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = lt->cublasLtMatmulPreferenceSetAttribute_call(
            preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = lt->cublasLtMatmulAlgoGetHeuristic_call(
            lt->handle, product->operation, product->first, product->second, product->result,
            product->result, preference, CUBLASLT_ALGORITHMS, list, count);
    if (preference) lt->cublasLtMatmulPreferenceDestroy_call(preference);
    if (status == CUBLAS_STATUS_SUCCESS && compute == CUBLAS_COMPUTE_32F_EMULATED_16BFX9)
        *count = (int)(std::remove_if(list, list + *count,
                                      [lt](const cublasLtMatmulHeuristicResult_t &result) {
                                          return !cublaslt_emulates(lt, result);
                                      }) -
                       list);
    return status;
}

/* Times one trial in milliseconds; the time is infinite if the algorithm does not take the product.
 */
static inline cudaError_t cublaslt_try(const struct cublaslt *lt,
                                       const struct cublaslt_product *product,
                                       const cublasLtMatmulAlgo_t *algorithm,
                                       const struct work *work, size_t scratch_bytes,
                                       const cudaEvent_t event[2], cudaStream_t stream, float *time)
{
    *time = INFINITY;
    cudaError_t error = cudaMemsetAsync(work->scratch, 0, scratch_bytes, stream);
    if (error == cudaSuccess) error = cudaEventRecord(event[0], stream);
    if (error != cudaSuccess) return error;
    if (cublaslt_queue(lt, product, algorithm, work, stream) != CUBLAS_STATUS_SUCCESS)
        return cudaSuccess;
    error = cudaEventRecord(event[1], stream);
    if (error == cudaSuccess) error = cudaEventSynchronize(event[1]);
    return error == cudaSuccess ? cudaEventElapsedTime(time, event[0], event[1]) : error;
}

/* Returns the index of the fastest, or -1 if none takes the product or the device fails. */
static inline int cublaslt_fastest(const struct cublaslt *lt,
                                   const struct cublaslt_product *product,
                                   const cublasLtMatmulHeuristicResult_t *list, int count,
                                   const struct work *work, size_t scratch_bytes,
                                   cudaStream_t stream)
{
    float time[CUBLASLT_ALGORITHMS][CUBLASLT_ROUNDS], least = INFINITY;
    cudaEvent_t event[2] = {NULL, NULL};
    cudaError_t error = cudaEventCreate(&event[0]);
    if (error == cudaSuccess) error = cudaEventCreate(&event[1]);
    for (int round = 0; round < CUBLASLT_ROUNDS && error == cudaSuccess; round++)
        for (int i = 0; i < count && error == cudaSuccess; i++)
            error = cublaslt_try(lt, product, &list[i].algo, work, scratch_bytes, event, stream,
                                 &time[i][round]);
    for (int i = 0; i < 2; i++)
        if (event[i]) cudaEventDestroy(event[i]);
    if (error != cudaSuccess) return -1;
    for (int i = 0; i < count; i++) {
        float *counted = time[i] + 1, *middle = counted + (CUBLASLT_ROUNDS - 1) / 2;
        std::nth_element(counted, middle, time[i] + CUBLASLT_ROUNDS);
        time[i][0] = *middle;
        least = std::min(least, time[i][0]);
    }
    for (int i = 0; i < count; i++)
        if (time[i][0] < INFINITY && time[i][0] <= 1.01f * least) return i;
    return -1;
}

static inline const cublasLtMatmulAlgo_t *cublaslt_find(const struct cublaslt *lt,
                                                        const struct shape *shape)
{
    const int kept = std::min(lt->chosen, (int)CUBLASLT_SHAPES);
    for (int i = 0; i < kept; i++)
        if (!memcmp(lt->choice[i].shape.dim, shape->dim, sizeof shape->dim))
            return &lt->choice[i].algorithm;
    return NULL;
}

static inline cublasStatus_t cublaslt_choose(struct cublaslt *lt,
                                             const struct cublaslt_product *product,
                                             cublasComputeType_t compute, const struct work *work,
                                             size_t scratch_bytes, cudaStream_t stream)
{
    cublasLtMatmulHeuristicResult_t list[CUBLASLT_ALGORITHMS];
    cudaStreamCaptureStatus capture;
    int count;
    if (cudaStreamIsCapturing(stream, &capture) != cudaSuccess ||
        capture != cudaStreamCaptureStatusNone)
        return CUBLAS_STATUS_NOT_INITIALIZED; /* nothing can be timed now */
    const cublasStatus_t status = cublaslt_list(lt, product, compute, list, &count);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    const int best = cublaslt_fastest(lt, product, list, count, work, scratch_bytes, stream);
    if (best < 0) return CUBLAS_STATUS_NOT_SUPPORTED;
    lt->choice[lt->chosen++ % CUBLASLT_SHAPES] = {work->point.shape, list[best].algo};
    return CUBLAS_STATUS_SUCCESS;
}

/* For variant.call: queues C = A B, all row-major, shape M x N x K, with A and B of this type, C of
 * floats, and this arithmetic. `scratch_bytes` is the family's. */
template <cudaDataType_t element, cublasComputeType_t compute,
          size_t (*scratch_bytes)(const struct shape *shape)>
static int cublaslt_multiply(const struct work *work, void *stream)
{
    const struct shape *shape = &work->point.shape;
    struct cublaslt *lt = cublaslt_get();
    struct cublaslt_product product = {};
    cublasStatus_t status = cublaslt_open(lt);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublaslt_describe(lt, shape, element, compute, &product);
    if (status == CUBLAS_STATUS_SUCCESS && !cublaslt_find(lt, shape))
        status = cublaslt_choose(lt, &product, compute, work, scratch_bytes(shape),
                                 static_cast<cudaStream_t>(stream));
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublaslt_queue(lt, &product, cublaslt_find(lt, shape), work,
                                static_cast<cudaStream_t>(stream));
    cublaslt_forget(lt, &product);
    return static_cast<int>(status);
}

/* For variant.refuses of arithmetic that the library has for some devices only. Without a device
 * nothing is refused. */
template <cudaDataType_t element, cublasComputeType_t compute>
static const char *cublaslt_refuses_arithmetic(const struct point *point, int compute_capability)
{
    cublasLtMatmulHeuristicResult_t list[CUBLASLT_ALGORITHMS];
    struct cublaslt_product product = {};
    struct cublaslt *lt = cublaslt_get();
    int count = 0;
    if (cublaslt_refuses(point, compute_capability))
        return cublaslt_refuses(point, compute_capability);
    if (cublaslt_open(lt) != CUBLAS_STATUS_SUCCESS) return NULL;
    cublasStatus_t status = cublaslt_describe(lt, &point->shape, element, compute, &product);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = cublaslt_list(lt, &product, compute, list, &count);
    cublaslt_forget(lt, &product);
    return status == CUBLAS_STATUS_SUCCESS && count > 0
               ? NULL
               : "cublasLt offers no algorithm with this arithmetic for this device and shape";
}
#endif
