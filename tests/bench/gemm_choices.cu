/*
 * Measures what rung 22 of the matrix product chooses, against the other choices that its rules
 * allow: a tool for whoever fits the figures of by_shape.h and thin_shape.h. It is no part of the
 * tests. After make, in the repository's root:
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90a -lineinfo -Iharness -Ikernels -Ikernels/gemm -Ibuild/gen \
 *        -Xptxas --suppress-async-bulk-multicast-advisory-warning \
 *        -o build/gemm_choices tests/bench/gemm_choices.cu kernels/gemm/22_by_shape/*.cu \
 *        harness/gpu/cuda_library.c -ldl
 *   build/gemm_choices SECONDS [MxNxK... | default | shallow] [--random N] [--seed S] [--factor F]
 *                      [--most N] [--rounds N] [--shape-seconds T] [--from I] [--kernel NAME]
 *                      [--list]
 *
 * It stops after SECONDS. Shapes are those named, those of a list that `default` stands for (also
 * if nothing is named), and N of each of the three kinds that tests/gpu/library_gemm.sh draws from
 * the seed. For each shape it takes the choices whose estimates are up to F (1.6) times the best,
 * at most N (12) of them, but always the chosen one; the best for each tile come first. With
 * --kernel it takes all choices by the kernel NAME, such as "few steps", and the best three of the
 * others. `shallow` stands for products with a small K. --list prints these and needs no GPU.
 * --from goes on at the I-th shape, counted from 0, where the summary of an earlier call says that
 * it stopped.
 *
 * Each choice, and cuBLAS in two modes, is checked once, with NaNs in C and in the scratch memory,
 * against a product in doubles: all elements, or all of some rows. An error of 1 is the bound of
 * the family (gemm_problem.h), 2e-7 sqrt(K) by the norm, for each element; the worst of millions
 * of elements may reach MOST_ERROR, as those of cuBLAS do. Then it is timed in rounds that
 * interleave with those of the others, each time alone after a memset of 256 MB, between two
 * events. Rounds beyond the third must fit into --shape-seconds. Times are medians, the ratio is
 * that of the better mode of cuBLAS to the choice. Lines that begin with # are a summary.
 *
 * A child process measures. If a kernel hangs or faults, its row says so, and another child goes on
 * with the next choice.
 */
#define VARIANT variant_gemm_22_by_shape
#define VARIANT_FAMILY "gemm"
#define VARIANT_NAME "22_by_shape"
#define VARIANT_FILE "kernels/gemm/22_by_shape.cu"
#include "22_by_shape.cu"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <memory>

#include "cublas.h"
#include "gemm_choices.h"

enum { FLUSH_BYTES = 256 << 20, GUARD_WORDS = 1024, REFERENCE_WAYS = 16 };

/* Products that a reference may have, and elements. */
static const double MOST_PRODUCTS = 8.6e9, MOST_ELEMENTS = 6.7e7;

/* ---- the step at work ------------------------------------------------------------------------ */

static shared_records records;

static void begin_step(int run)
{
    records.at->run = run;
    records.at->beat = records.at->beat + 1;
}

/* Ends the process after an error, for which the step at work is blamed. */
static void must(cudaError_t error)
{
    if (error == cudaSuccess) return;
    blame(records, cudaGetErrorString(error));
    _exit(EXIT_BLAMED);
}

/* ---- data and reference ---------------------------------------------------------------------- */

/* By the finalizer of SplitMix64. */
static __host__ __device__ inline uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Uniform in [-1, 1), as in gemm_problem.h. */
static __global__ void fill(float *to, uint64_t count, uint64_t seed)
{
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * (uint64_t)blockDim.x)
        to[i] = (float)(mix(mix(seed) + i) >> 40) * 0x1p-23f - 1;
}

/* The i-th of `rows` rows that are checked: the first, the last, and one at random from each of the
 * equal stretches between. */
static __host__ __device__ inline uint64_t checked_row(uint64_t m, uint64_t rows, uint64_t i)
{
    if (rows == m || i == 0) return i;
    if (i == rows - 1) return m - 1;
    return i * m / rows + mix(i) % (m / rows);
}

static const float MOST_ERROR = 2;

/* A block computes 32 elements of a row; its rows of threads share k. */
static __global__ void __launch_bounds__(32 * REFERENCE_WAYS)
    multiply_in_doubles(const float *a, const float *b, double *c, float *bound, uint64_t m,
                        uint64_t n, uint64_t k, uint64_t rows)
{
    __shared__ double sums[REFERENCE_WAYS][32], squares[REFERENCE_WAYS][32];
    const uint64_t across = (n + 31) / 32, i = blockIdx.x / across,
                   j = blockIdx.x % across * 32 + threadIdx.x;
    const float *row = a + checked_row(m, rows, i) * k;
    double sum = 0, square = 0;
    if (j < n) {
#pragma unroll 4
        for (uint64_t at = threadIdx.y; at < k; at += REFERENCE_WAYS) {
            const double product = (double)row[at] * (double)b[at * n + j];
            sum += product;
            square += product * product;
        }
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    squares[threadIdx.y][threadIdx.x] = square;
    __syncthreads();
    if (threadIdx.y > 0 || j >= n) return;
    for (int way = 1; way < REFERENCE_WAYS; way++) {
        sum += sums[way][threadIdx.x];
        square += squares[way][threadIdx.x];
    }
    c[i * n + j] = sum;
    bound[i * n + j] = (float)(2e-7 * sqrt((double)k) * sqrt(square));
}

struct findings {
    unsigned worst;   /* the bits of the largest error over its bound */
    unsigned missing; /* NaNs in C */
    unsigned outside; /* words beside C that were written */
};

static __global__ void compare(const float *c, const double *reference, const float *bound,
                               uint64_t m, uint64_t n, uint64_t rows, findings *found)
{
    const uint64_t step = gridDim.x * (uint64_t)blockDim.x,
                   first = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    float worst = 0;
    unsigned missing = 0, outside = 0;
    for (uint64_t at = first; at < rows * n; at += step) {
        const double value = (double)c[checked_row(m, rows, at / n) * n + at % n],
                     difference = fabs(value - reference[at]);
        const float error = difference == 0 ? 0 : (float)(difference / (double)bound[at]);
        worst = error < INFINITY ? fmaxf(worst, error) : INFINITY; /* also if it is no number */
    }
    for (uint64_t at = first; at < m * n; at += step) missing += isnan(c[at]);
    for (uint64_t at = first; at < GUARD_WORDS; at += step)
        outside +=
            (__float_as_uint(*(c - 1 - at)) != ~0u) + (__float_as_uint(c[m * n + at]) != ~0u);
    atomicMax(&found->worst, __float_as_uint(worst));
    if (missing) atomicAdd(&found->missing, missing);
    if (outside) atomicAdd(&found->outside, outside);
}

/* ---- the device and a shape's memory --------------------------------------------------------- */

struct device {
    cudaStream_t stream;
    cudaEvent_t start, stop;
    void *flush, *scratch;
    findings *found;
    int sm_count, compute_capability;
    struct cublas library[LIBRARIES];
};

static const cublasMath_t library_modes[LIBRARIES] = {CUBLAS_DEFAULT_MATH, CUBLAS_PEDANTIC_MATH};

struct matrices {
    by_shape_sides s;
    float *a, *b, *guarded, *c; /* guarded: C with words before and after it */
    uint64_t rows;              /* that are checked */
    double *reference;
    float *bound;
    struct work work;
};

template <typename T> static T *device_memory(uint64_t count)
{
    void *memory = NULL;
    must(cudaMalloc(&memory, count * sizeof(T)));
    return static_cast<T *>(memory);
}

/* Opens the libraries, too, and wakes the clocks. */
static void open_device(device *device)
{
    int major, minor;
    must(cudaSetDevice(0));
    must(cudaDeviceGetAttribute(&device->sm_count, cudaDevAttrMultiProcessorCount, 0));
    must(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    must(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    device->compute_capability = 10 * major + minor;
    must(cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking));
    must(cudaEventCreate(&device->start));
    must(cudaEventCreate(&device->stop));
    device->flush = device_memory<char>(FLUSH_BYTES);
    device->scratch = device_memory<char>(GEMM_SCRATCH_BYTES);
    device->found = device_memory<findings>(1);
    struct work work = {};
    work.scratch = device->scratch;
    for (int i = 0; i < LIBRARIES; i++) {
        device->library[i] = *cublas_get();
        cublas_ready(&device->library[i], library_modes[i], &work, device->stream);
    }
    for (int i = 0; i < 2000; i++)
        must(cudaMemsetAsync(device->flush, i & 1, FLUSH_BYTES, device->stream));
    must(cudaStreamSynchronize(device->stream));
}

static void make_matrices(const device &device, by_shape_sides s, matrices *x)
{
    const double row_products = (double)s.n * (double)s.k,
                 most = std::min(MOST_PRODUCTS / row_products, MOST_ELEMENTS / (double)s.n);
    *x = {};
    x->s = s;
    x->rows = std::max<uint64_t>(1, std::min(s.m, (uint64_t)most));
    x->a = device_memory<float>(s.m * s.k);
    x->b = device_memory<float>(s.k * s.n);
    x->guarded = device_memory<float>(s.m * s.n + 2 * GUARD_WORDS);
    x->c = x->guarded + GUARD_WORDS;
    x->reference = device_memory<double>(x->rows * s.n);
    x->bound = device_memory<float>(x->rows * s.n);
    x->work.point.shape = {3, {s.m, s.n, s.k}};
    x->work.point.block = 256;
    x->work.sm_count = device.sm_count;
    x->work.compute_capability = device.compute_capability;
    x->work.input[0] = x->a;
    x->work.input[1] = x->b;
    x->work.output = x->c;
    x->work.scratch = device.scratch;
    fill<<<1024, 256, 0, device.stream>>>(x->a, s.m * s.k, 1);
    fill<<<1024, 256, 0, device.stream>>>(x->b, s.k * s.n, 2);
    multiply_in_doubles<<<(unsigned)((s.n + 31) / 32 * x->rows), dim3(32, REFERENCE_WAYS), 0,
                          device.stream>>>(x->a, x->b, x->reference, x->bound, s.m, s.n, s.k,
                                           x->rows);
    must(cudaGetLastError());
    must(cudaStreamSynchronize(device.stream));
}

static void free_matrices(const matrices &x)
{
    void *const memory[] = {x.a, x.b, x.guarded, x.reference, x.bound};
    for (void *m : memory) must(cudaFree(m));
}

/* ---- launches, as harness/gpu/launch_variant.c does them --------------------------------------
 */

struct ready_launch {
    struct launch launch;
    CUtensorMap map[TENSOR_MAPS];
};

struct ready_run {
    int count;
    ready_launch launch[2];
};

static PFN_cuTensorMapEncodeTiled_v12000 find_encoder(void)
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult result;
    must(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                          cudaEnableDefault, &result));
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
}

static CUtensorMapSwizzle swizzle_of(int bytes)
{
    return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
           : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
           : bytes == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                         : CU_TENSOR_MAP_SWIZZLE_NONE;
}

static bool encode_map(const struct tensor_map &map, CUtensorMap *encoded)
{
    static const PFN_cuTensorMapEncodeTiled_v12000 encode = find_encoder();
    const cuuint64_t sides[] = {map.columns, map.rows}, strides[] = {map.pitch};
    const cuuint32_t box[] = {map.box_columns, map.box_rows}, steps[] = {1, 1};
    return encode &&
           encode(encoded, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<void *>(map.base), sides,
                  strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(map.swizzle),
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* Plans the launches of a choice. Returns why that failed, or NULL. */
static const char *make_ready(const matrices &x, const by_shape_choice &choice, ready_run *ready)
{
    memset(static_cast<void *>(ready), 0, sizeof *ready);
    ready->count = (int)by_shape_launches(&choice);
    for (int i = 0; i < ready->count; i++) {
        struct launch *launch = &ready->launch[i].launch;
        for (int side = 0; side < 3; side++) launch->grid[side] = launch->block[side] = 1;
        plan_choice(&x.work, choice, (unsigned)i, launch);
        for (int j = 0; j < launch->tensor_map_count; j++)
            if (!encode_map(launch->tensor_map[j], &ready->launch[i].map[j]))
                return "the driver rejects a tensor map";
    }
    return NULL;
}

/* Grants dynamic shared memory; other choices may have set less for the same function. */
static cudaError_t grant(const ready_run &ready)
{
    for (int i = 0; i < ready.count; i++) {
        const struct launch &launch = ready.launch[i].launch;
        if (launch.dynamic_shared <= 48 << 10) continue;
        const cudaError_t error =
            cudaFuncSetAttribute(launch.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 (int)launch.dynamic_shared);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

static cudaError_t queue_launch(const ready_launch &ready, cudaStream_t stream)
{
    const struct launch &launch = ready.launch;
    void *argument[TENSOR_MAPS + LAUNCH_ARGUMENTS];
    cudaLaunchAttribute attribute[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(launch.grid[0], launch.grid[1], launch.grid[2]);
    config.blockDim = dim3(launch.block[0], launch.block[1], launch.block[2]);
    config.dynamicSmemBytes = launch.dynamic_shared;
    config.stream = stream;
    config.attrs = attribute;
    if (launch.cooperative) {
        attribute[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attribute[config.numAttrs++].val.cooperative = 1;
    }
    if (launch.cluster) {
        attribute[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attribute[config.numAttrs].val.clusterDim.x = launch.cluster;
        attribute[config.numAttrs].val.clusterDim.y = 1;
        attribute[config.numAttrs++].val.clusterDim.z = 1;
    }
    for (int i = 0; i < launch.tensor_map_count; i++)
        argument[i] = const_cast<CUtensorMap *>(&ready.map[i]);
    for (int i = 0; i < launch.argument_count; i++)
        argument[launch.tensor_map_count + i] = const_cast<uint64_t *>(&launch.argument[i]);
    return cudaLaunchKernelExC(&config, launch.function, argument);
}

static const char *queue_choice(const device &device, const ready_run &ready)
{
    for (int i = 0; i < ready.count; i++) {
        cudaError_t error = cudaSuccess;
        if (ready.launch[i].launch.clear_scratch)
            error = cudaMemsetAsync(device.scratch, 0, ready.launch[i].launch.clear_scratch,
                                    device.stream);
        if (error == cudaSuccess) error = queue_launch(ready.launch[i], device.stream);
        if (error != cudaSuccess) {
            cudaGetLastError();
            return cudaGetErrorString(error);
        }
    }
    return NULL;
}

static const char *queue_library(device *device, int index, const matrices &x)
{
    struct cublas *library = &device->library[index];
    const float one = 1, zero = 0;
    const int m = (int)x.s.m, n = (int)x.s.n, k = (int)x.s.k;
    cublasStatus_t status = cublas_ready(library, library_modes[index], &x.work, device->stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = library->cublasSgemm_v2_call(library->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,
                                              &one, x.b, n, x.a, k, &zero, x.c, n);
    return status == CUBLAS_STATUS_SUCCESS ? NULL : "cuBLAS returns an error, or is not there";
}

/* ---- checking and timing --------------------------------------------------------------------- */

struct shape_work {
    device *device;
    matrices x;
    shape_record *record;
    ready_run *ready; /* one for each run */

    const char *queue(int i) const
    {
        return record->run[i].library ? queue_library(device, i, x)
                                      : queue_choice(*device, ready[i]);
    }
};

static void fail(run *run, const char *why)
{
    run->state = RUN_FAILED;
    set_status(run->status, why);
}

static void check_run(const shape_work &work, int i)
{
    const device &device = *work.device;
    const matrices &x = work.x;
    run *run = &work.record->run[i];
    findings found;
    must(cudaMemsetAsync(x.guarded, 0xff, (x.s.m * x.s.n + 2 * GUARD_WORDS) * sizeof(float),
                         device.stream));
    must(cudaMemsetAsync(device.scratch, 0xff, GEMM_SCRATCH_BYTES, device.stream));
    must(cudaMemsetAsync(device.found, 0, sizeof found, device.stream));
    const char *why = work.queue(i);
    must(cudaStreamSynchronize(device.stream));
    if (why) {
        fail(run, why);
        return;
    }
    compare<<<1056, 256, 0, device.stream>>>(x.c, x.reference, x.bound, x.s.m, x.s.n, x.rows,
                                             device.found);
    must(cudaGetLastError());
    must(
        cudaMemcpyAsync(&found, device.found, sizeof found, cudaMemcpyDeviceToHost, device.stream));
    must(cudaStreamSynchronize(device.stream));
    float worst;
    memcpy(&worst, &found.worst, sizeof worst);
    char text[120];
    run->error = (double)worst;
    run->state = RUN_CHECKED;
    if (found.missing) {
        snprintf(text, sizeof text, "wrong: %u NaNs", found.missing);
        set_status(run->status, text);
    } else if (found.outside) {
        set_status(run->status, "wrong: writes outside of C");
    } else if (worst > MOST_ERROR) {
        set_status(run->status, "wrong");
    }
}

static void time_run(const shape_work &work, int i, int round)
{
    const device &device = *work.device;
    run *run = &work.record->run[i];
    float ms = 0;
    if (!run->library) must(grant(work.ready[i]));
    must(cudaMemsetAsync(device.flush, round & 1, FLUSH_BYTES, device.stream));
    must(cudaEventRecord(device.start, device.stream));
    const char *why = work.queue(i);
    must(cudaEventRecord(device.stop, device.stream));
    must(cudaStreamSynchronize(device.stream));
    if (why) {
        fail(run, why);
        return;
    }
    must(cudaEventElapsedTime(&ms, device.start, device.stop));
    run->sample_us[run->samples++] = 1000 * ms;
}

/* The order changes from round to round. A run that an earlier process timed is not timed again. */
static void time_rounds(const shape_work &work, const options &options)
{
    const int count = work.record->run_count;
    const double began = now();
    for (int round = 0; round < options.rounds; round++) {
        if (round >= 3 && (now() - began) * (round + 1) / round > options.shape_seconds) return;
        for (int j = 0; j < count; j++) {
            const int turned = (j + 5 * round) % count, i = round % 2 ? count - 1 - turned : turned;
            const run &run = work.record->run[i];
            if (run.state != RUN_CHECKED || run.samples > round) continue;
            begin_step(i);
            time_run(work, i, round);
        }
    }
}

static void measure_shape(device *device, shape_record *record, const options &options)
{
    shape_work work = {device, {}, record, NULL};
    begin_step(AT_SHAPE);
    if (!record->run_count) list_runs(record, device->sm_count, options);
    const std::unique_ptr<ready_run[]> ready(new ready_run[record->run_count]);
    work.ready = ready.get();
    make_matrices(*device, record->sides, &work.x);
    for (int i = 0; i < record->run_count; i++) {
        run *run = &record->run[i];
        if (run->state == RUN_FAILED) continue;
        const char *why =
            run->library ? NULL : make_ready(work.x, run->candidate.choice, &work.ready[i]);
        if (!why && !run->library) {
            const cudaError_t error = grant(work.ready[i]);
            if (error != cudaSuccess) why = cudaGetErrorString(error);
            cudaGetLastError();
        }
        if (why) fail(run, why);
        if (run->state != RUN_UNCHECKED) continue;
        begin_step(i);
        check_run(work, i);
    }
    time_rounds(work, options);
    begin_step(AT_SHAPE);
    free_matrices(work.x);
    record->done = 1;
}

/* The whole work of a child process, from the shape at which the records stand. */
static void measure(shared_records to, const options &options)
{
    device device = {};
    records = to;
    open_device(&device);
    while (records.at->shape < records.count) {
        shape_record *record = &records.shape[records.at->shape];
        if (!record->done) measure_shape(&device, record, options);
        records.at->shape = records.at->shape + 1;
    }
}

int main(int count, char **argument)
{
    options options;
    const char *unknown = read_options(count, argument, &options);
    if (unknown) {
        fprintf(stderr,
                "%s%susage: gemm_choices SECONDS [MxNxK... | default | shallow] [--random N] "
                "[--seed S] [--factor F] [--most N] [--rounds N] [--shape-seconds T] [--from I] "
                "[--kernel NAME] [--list]\n",
                unknown, *unknown ? " is not understood; " : "");
        return 2;
    }
    if (options.list) {
        print_choices(options);
        return 0;
    }
    const shared_records shared = share_records(options.shapes);
    if (!shared.at) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    printf("shape,choice,chosen,estimate_us,time_us,library_us,ratio,error_over_bound,status\n");
    const size_t complete = measure_in_children(shared, options, measure);
    print_summary(shared, options, complete);
    return complete == shared.count ? 0 : 1;
}
