/*
 * A CUDA runtime and as much of the driver as the program uses, without a GPU (fake.h). Device memory is the host's. What is queued runs when it is waited for,
 * in the order in which it was queued; there is one queue for all streams.
 *
 * Words of FAKE_STATE that act here: no_gpu, insufficient_driver, throttled, little_memory, old, small, smallest (of compute capability 8.0, 8.6, 7.5),
 * no_clusters, no_cooperation, renamed, wandering_stamps (of several SMs), no_time (between events). FAKE_FAIL=fake_gate:N is the N-th gate that nobody opens in time.
 */
#include <cuda.h>
#include <cuda_occupancy.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "gate.h"

/* What nvcc's host code calls. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size, int constant, int global);

void (*fake_listener)(const struct fake_ran *ran);

enum { GUARANTEED_SHARED = 48 << 10, ALIGNMENT = 256 };

/* What differs from chip to chip. */
struct chip {
    int major, minor;
    size_t shared_per_sm;
};

static struct chip chip(void)
{
    if (fake_state("old")) return (struct chip){8, 0, 164 << 10};
    if (fake_state("small")) return (struct chip){8, 6, 100 << 10};
    if (fake_state("smallest")) return (struct chip){7, 5, 64 << 10};
    return (struct chip){9, 0, 228 << 10};
}

static size_t shared_per_sm(void)
{
    return chip().shared_per_sm;
}

static cudaError_t last_error;

static cudaError_t failed(cudaError_t status)
{
    if (status) last_error = status;
    return status;
}

/* The status planted for this call; it is the last error then. */
static cudaError_t entered(const char *name)
{
    return failed((cudaError_t)fake_call(name));
}

/* ---- memory ---------------------------------------------------------------------------------------------------------------------------------- */

static struct memory {
    char *base;
    size_t bytes;
    struct memory *next;
} *memories;

static size_t used;

static cudaError_t take(void **pointer, size_t bytes, const char *kind)
{
    struct memory *memory = malloc(sizeof *memory);
    char *base = memory ? aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT) : NULL;
    *pointer = base;
    if (!base) {
        free(memory);
        return failed(cudaErrorMemoryAllocation);
    }
    memset(base, 0xA5, bytes); /* what was there before */
    *memory = (struct memory){base, bytes, memories};
    memories = memory;
    fake_held(kind, 1);
    return cudaSuccess;
}

static size_t give_back(void *pointer, const char *kind)
{
    for (struct memory **at = &memories; *at; at = &(*at)->next) {
        struct memory *memory = *at;
        if (memory->base != pointer) continue;
        const size_t bytes = memory->bytes;
        *at = memory->next;
        free(memory->base);
        free(memory);
        fake_held(kind, -1);
        return bytes;
    }
    fake_misuse("what is no memory was freed");
    return 0;
}

static int is_inside(const void *pointer, size_t bytes)
{
    for (const struct memory *memory = memories; memory; memory = memory->next)
        if ((const char *)pointer >= memory->base && (const char *)pointer + bytes <= memory->base + memory->bytes) return 1;
    fake_misuse("memory outside of all buffers was named");
    return 0;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    const size_t most = fake_state("little_memory") ? 3u << 20 : FAKE_MEMORY_BYTES;
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (used + bytes > most) return failed(cudaErrorMemoryAllocation);
    used += bytes;
    return take(pointer, bytes, "device memory");
}

cudaError_t cudaFree(void *pointer)
{
    const cudaError_t status = entered(__func__);
    if (pointer) fake_synchronize();
    if (pointer) used -= give_back(pointer, "device memory");
    return status;
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    const cudaError_t status = entered(__func__);
    (void)flags;
    return status ? status : take(pointer, bytes, "host memory");
}

cudaError_t cudaFreeHost(void *pointer)
{
    const cudaError_t status = entered(__func__);
    if (pointer) fake_synchronize();
    if (pointer) give_back(pointer, "host memory");
    return status;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!is_inside(kind == cudaMemcpyHostToDevice ? to : from, bytes)) return failed(cudaErrorInvalidValue);
    memcpy(to, from, bytes);
    fake_advance(5000 + bytes / 20);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!is_inside(to, bytes)) return failed(cudaErrorInvalidValue);
    memset(to, value, bytes);
    fake_advance(5000);
    return cudaSuccess;
}

/* ---- the queue ------------------------------------------------------------------------------------------------------------------------------- */

enum { MOST_OPERATIONS = 4096 };

enum operation_kind { OPERATION_KERNEL, OPERATION_FILL, OPERATION_EVENT };

struct operation {
    enum operation_kind kind;
    struct fake_launch launch;
    void *to;
    int value;
    size_t bytes;
    struct CUevent_st *event;
    struct operation *next;
};

struct CUevent_st {
    uint64_t ns;
    int recorded;
};

/* Of its own: memory that the program lacks must not stop the device. */
static struct operation operations[MOST_OPERATIONS], *first, **last = &first;
static int operation_count;
static uint64_t device_ns;
static double device_cycles;
static uint64_t random_state = 0x9E3779B97F4A7C15u;

/* xorshift64* by Vigna; -1 to 1, mostly near 0. */
static double noise(void)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        random_state ^= random_state >> 12;
        random_state ^= random_state << 25;
        random_state ^= random_state >> 27;
        sum += (double)(random_state * 0x2545F4914F6CDD1Du >> 11) / 9007199254740992.0 * 2 - 1;
    }
    return sum / 3;
}

static int is_named(const struct fake_launch *launch, const char *name)
{
    return strstr(launch->kernel->symbol, name) != NULL;
}

static double clock_of_batch(void)
{
    static unsigned batches;
    batches++;
    return FAKE_MHZ * (1 + 0.001 * noise()) * (fake_state("throttled") && batches % 4 == 0 ? 0.7 : 1);
}

static void pass(double cycles, double mhz)
{
    device_cycles += cycles;
    device_ns += (uint64_t)(1e3 * cycles / mhz);
}

/* The gate: open, or 5 s later. */
static void wait(const struct fake_launch *launch)
{
    const volatile uint32_t *open = (const uint32_t *)(uintptr_t)launch->argument[0];
    if (device_ns < fake_now()) device_ns = fake_now();
    if (*open && !fake_call("fake_gate")) return;
    *(volatile uint32_t *)(uintptr_t)launch->argument[1] = 1;
    device_ns += 5000000000u;
}

static void stamp(const struct fake_launch *launch)
{
    static uint32_t stamps;
    const uint32_t sm = fake_state("wandering_stamps") ? stamps++ % FAKE_SMS : 0;
    *(struct gate_stamp *)(uintptr_t)launch->argument[0] = (struct gate_stamp){(uint64_t)device_cycles, device_ns, sm, 1};
}

static void run_kernel(const struct fake_launch *launch, double mhz)
{
    struct fake_ran ran = {.launch = launch, .begin_ns = device_ns, .mhz = mhz};
    if (is_named(launch, "gate_wait")) wait(launch);
    else if (is_named(launch, "gate_stamp_kernel")) stamp(launch);
    else launch->kernel->run(launch);
    ran.cycles = fake_cycles_of(launch, &ran.cost) * (1 + 0.004 * noise());
    pass(ran.cycles, mhz);
    ran.end_ns = device_ns;
    pass(500, mhz); /* until the next may start */
    if (fake_listener) fake_listener(&ran);
}

void fake_synchronize(void)
{
    const double mhz = clock_of_batch();
    int held = 0;
    if (device_ns < fake_now()) device_ns = fake_now();
    while (first) {
        struct operation *operation = first;
        if (operation->kind == OPERATION_KERNEL) {
            held |= is_named(&operation->launch, "gate_wait");
            run_kernel(&operation->launch, mhz);
        } else if (operation->kind == OPERATION_FILL) {
            memset(operation->to, operation->value, operation->bytes);
            pass(900, mhz);
        } else {
            operation->event->ns = device_ns;
            operation->event->recorded = 1;
            pass(300, mhz);
        }
        first = operation->next;
    }
    last = &first;
    operation_count = 0;
    if (fake_now() < device_ns) fake_advance(device_ns - fake_now());
    fake_advance(held ? 6000000 : 8000); /* a sample costs the host some milliseconds */
}

static struct operation *queued(enum operation_kind kind)
{
    if (operation_count == MOST_OPERATIONS) fake_synchronize();
    struct operation *operation = &operations[operation_count++];
    memset(operation, 0, sizeof *operation);
    operation->kind = kind;
    *last = operation;
    last = &operation->next;
    fake_advance(2000);
    return operation;
}

/* ---- graphs ---------------------------------------------------------------------------------------------------------------------------------- */

enum { NODES = 32 };

struct CUgraphNode_st {
    struct operation operation;
};

struct CUgraph_st {
    int count;
    struct CUgraphNode_st node[NODES];
};

static struct CUgraph_st *capturing;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    const cudaError_t status = entered(__func__);
    (void)stream;
    (void)mode;
    if (status) return status;
    if (capturing) return failed(cudaErrorIllegalState);
    capturing = calloc(1, sizeof *capturing);
    if (!capturing) return failed(cudaErrorMemoryAllocation);
    fake_held("graphs", 1);
    return cudaSuccess;
}

static void end_graph(struct CUgraph_st *graph)
{
    free(graph);
    fake_held("graphs", -1);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    const cudaError_t status = entered(__func__);
    (void)stream;
    *graph = NULL;
    if (!capturing) return failed(cudaErrorIllegalState);
    if (status) end_graph(capturing);
    else *graph = capturing;
    capturing = NULL;
    return status;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    *count = (size_t)graph->count;
    for (int i = 0; i < graph->count && nodes; i++) nodes[i] = &graph->node[i];
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    const cudaError_t status = entered(__func__);
    *type = node->operation.kind == OPERATION_KERNEL ? cudaGraphNodeTypeKernel : cudaGraphNodeTypeMemset;
    return status;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    const cudaError_t status = entered(__func__);
    end_graph(graph);
    return status;
}

/* ---- launches -------------------------------------------------------------------------------------------------------------------------------- */

static cudaError_t enqueue(const struct fake_launch *launch)
{
    if (!launch->kernel || !launch->kernel->run) return failed(cudaErrorNoKernelImageForDevice);
    const size_t granted = launch->kernel->max_dynamic_shared ? (size_t)launch->kernel->max_dynamic_shared : GUARANTEED_SHARED;
    const unsigned threads = launch->block[0] * launch->block[1] * launch->block[2];
    if (launch->shared > granted || !threads || threads > 1024 || !launch->grid[0]) return failed(cudaErrorInvalidConfiguration);
    if (!capturing) {
        queued(OPERATION_KERNEL)->launch = *launch;
        return cudaSuccess;
    }
    if (capturing->count == NODES) return failed(cudaErrorStreamCaptureInvalidated);
    capturing->node[capturing->count].operation.kind = OPERATION_KERNEL;
    capturing->node[capturing->count++].operation.launch = *launch;
    return cudaSuccess;
}

static cudaError_t launch_kernel(struct fake_kernel *kernel, dim3 grid, dim3 block, void **arguments, size_t shared)
{
    struct fake_launch launch = {.kernel = kernel, .grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}, .shared = shared};
    const char *bytes = kernel && kernel->arguments ? kernel->arguments : "";
    for (int i = 0; bytes[i] && i < FAKE_ARGUMENTS; i++) memcpy(&launch.argument[i], arguments[i], (size_t)(bytes[i] - '0'));
    return enqueue(&launch);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream)
{
    const cudaError_t status = entered(__func__);
    (void)stream;
    return status ? status : launch_kernel(fake_kernel_find(function), grid, block, arguments, shared);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    const cudaError_t status = entered(__func__);
    return status ? status : launch_kernel(fake_kernel_find(function), config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes);
}

int fake_launch(struct fake_kernel *kernel, const unsigned grid[3], const unsigned block[3], const uint64_t *argument, int count, void *stream)
{
    struct fake_launch launch = {.kernel = kernel, .grid = {grid[0], grid[1], grid[2]}, .block = {block[0], block[1], block[2]}};
    (void)stream;
    for (int i = 0; i < count; i++) launch.argument[i] = argument[i];
    const cudaError_t status = entered(__func__);
    return (int)(status ? status : enqueue(&launch));
}

/* ---- nvcc's host code ------------------------------------------------------------------------------------------------------------------------ */

static struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} configured;

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    *kernel = (cudaKernel_t)fake_kernel_find(function);
    return *kernel ? cudaSuccess : failed(cudaErrorInvalidDeviceFunction);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream)
{
    const cudaError_t status = entered(__func__);
    (void)stream;
    return status ? status : launch_kernel((struct fake_kernel *)kernel, grid, block, arguments, shared);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    configured.grid = grid;
    configured.block = block;
    configured.shared = shared;
    configured.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = configured.grid;
    *block = configured.block;
    *shared = configured.shared;
    memcpy(stream, &configured.stream, sizeof configured.stream);
    return cudaSuccess;
}

void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle;
    (void)binary;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid, void *bid, void *block, void *grid, int *warp)
{
    enum { KERNELS = 64 };
    static struct fake_kernel registered[KERNELS];
    static int count;
    (void)handle, (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    if (count == KERNELS) return;
    struct fake_kernel *kernel = &registered[count++];
    kernel->function = host;
    kernel->symbol = name;
    fake_kernel_emulate(kernel);
    fake_kernel_add(kernel);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size, int constant, int global)
{
    (void)handle, (void)host, (void)device, (void)name, (void)external, (void)size, (void)constant, (void)global;
}

/* ---- streams and events ------------------------------------------------------------------------------------------------------------------------ */

static char one_stream;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    const cudaError_t status = entered(__func__);
    (void)flags;
    if (status) return status;
    *stream = (cudaStream_t)(void *)&one_stream;
    fake_held("streams", 1);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    const cudaError_t status = entered(__func__);
    fake_synchronize();
    if (stream) fake_held("streams", -1);
    return status;
}

static cudaError_t synchronized(cudaError_t status)
{
    if (capturing) return failed(cudaErrorStreamCaptureUnsupported);
    fake_synchronize();
    return status;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return synchronized(entered(__func__));
}

cudaError_t cudaDeviceSynchronize(void)
{
    return synchronized(entered(__func__));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return synchronized(entered(__func__));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    const cudaError_t status = entered(__func__);
    (void)stream;
    if (status) return status;
    if (!is_inside(to, bytes)) return failed(cudaErrorInvalidValue);
    if (capturing) {
        if (capturing->count < NODES) capturing->node[capturing->count++].operation.kind = OPERATION_FILL;
        return cudaSuccess;
    }
    struct operation *operation = queued(OPERATION_FILL);
    operation->to = to;
    operation->value = value;
    operation->bytes = bytes;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    *event = calloc(1, sizeof **event);
    if (!*event) return failed(cudaErrorMemoryAllocation);
    fake_held("events", 1);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    const cudaError_t status = entered(__func__);
    fake_synchronize();
    free(event);
    fake_held("events", -1);
    return status;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    const cudaError_t status = entered(__func__);
    (void)stream;
    if (status) return status;
    queued(OPERATION_EVENT)->event = event;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!from->recorded || !to->recorded) return failed(cudaErrorInvalidResourceHandle);
    *milliseconds = fake_state("no_time") ? 0 : (float)((double)(to->ns - from->ns) / 1e6);
    return cudaSuccess;
}

/* ---- errors ---------------------------------------------------------------------------------------------------------------------------------- */

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t planted = (cudaError_t)fake_call(__func__), status = planted ? planted : last_error;
    last_error = cudaSuccess;
    return status;
}

static const char *text_of(int status)
{
    static const struct {
        int status;
        const char *text;
    } texts[] = {
        {0, "no error"},
        {cudaErrorInvalidValue, "invalid argument"},
        {cudaErrorMemoryAllocation, "out of memory"},
        {cudaErrorInvalidConfiguration, "invalid configuration argument"},
        {cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"},
        {cudaErrorNoDevice, "no CUDA-capable device is detected"},
        {cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"},
        {cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"},
        {cudaErrorIllegalAddress, "an illegal memory access was encountered"},
        {cudaErrorUnknown, "unknown error"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].status == status) return texts[i].text;
    return "an error that the fake has no words for";
}

const char *cudaGetErrorString(cudaError_t status)
{
    return text_of((int)status);
}

/* ---- the device ------------------------------------------------------------------------------------------------------------------------------ */

cudaError_t cudaGetDeviceCount(int *count)
{
    const cudaError_t status = entered(__func__);
    *count = 0;
    if (status) return status;
    if (fake_state("no_gpu")) return failed(cudaErrorNoDevice);
    if (fake_state("insufficient_driver")) return failed(cudaErrorInsufficientDriver);
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    (void)device;
    return entered(__func__);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return entered(__func__);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return entered(__func__);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return entered(__func__);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return entered(__func__);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int bytes, int device)
{
    (void)device;
    snprintf(id, (size_t)bytes, "0000:00:00.0");
    return entered(__func__);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    const cudaError_t status = entered(__func__);
    (void)device;
    if (status) return status;
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "%s", fake_state("renamed") ? "Fake GPU (another)" : "Fake GPU (no device)");
    properties->major = chip().major;
    properties->minor = chip().minor;
    properties->multiProcessorCount = FAKE_SMS;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->maxThreadsPerBlock = 1024;
    properties->maxBlocksPerMultiProcessor = 32;
    properties->l2CacheSize = FAKE_L2_BYTES;
    properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
    properties->warpSize = 32;
    properties->sharedMemPerBlock = GUARANTEED_SHARED;
    properties->sharedMemPerMultiprocessor = shared_per_sm();
    properties->sharedMemPerBlockOptin = shared_per_sm() - 1024;
    properties->reservedSharedMemPerBlock = 1024;
    properties->cooperativeLaunch = !fake_state("no_cooperation");
    properties->totalGlobalMem = FAKE_MEMORY_BYTES;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    const cudaError_t status = entered(__func__);
    (void)device;
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = FAKE_SMS; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = (int)shared_per_sm(); break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = 65536; break;
    case cudaDevAttrL2CacheSize: *value = FAKE_L2_BYTES; break;
    case cudaDevAttrClockRate: *value = 1000 * FAKE_MHZ; break;
    case cudaDevAttrMemoryClockRate: *value = 1000 * FAKE_MHZ; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = 8 * FAKE_DRAM_BYTES_PER_CYCLE / 2; break;
    default: *value = 0; break;
    }
    return status;
}

/* ---- functions ------------------------------------------------------------------------------------------------------------------------------- */

static int blocks_per_sm(const struct fake_kernel *kernel, int threads, size_t shared)
{
    struct cudaOccDeviceProp properties;
    struct cudaOccFuncAttributes attributes;
    struct cudaOccDeviceState state;
    struct cudaOccResult answer;
    memset(&properties, 0, sizeof properties);
    memset(&attributes, 0, sizeof attributes);
    memset(&state, 0, sizeof state);
    properties.computeMajor = chip().major;
    properties.computeMinor = chip().minor;
    properties.maxThreadsPerBlock = 1024;
    properties.maxThreadsPerMultiprocessor = 2048;
    properties.regsPerBlock = properties.regsPerMultiprocessor = 65536;
    properties.warpSize = 32;
    properties.sharedMemPerBlock = GUARANTEED_SHARED;
    properties.sharedMemPerMultiprocessor = shared_per_sm();
    properties.numSms = FAKE_SMS;
    properties.sharedMemPerBlockOptin = shared_per_sm() - 1024;
    properties.reservedSharedMemPerBlock = 1024;
    attributes.maxThreadsPerBlock = 1024;
    attributes.numRegs = kernel->registers;
    attributes.sharedSizeBytes = (size_t)kernel->static_shared;
    attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = shared > GUARANTEED_SHARED ? shared : GUARANTEED_SHARED;
    attributes.numBlockBarriers = 1;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
    return cudaOccMaxActiveBlocksPerMultiprocessor(&answer, &properties, &attributes, &state, threads, shared) == CUDA_OCC_SUCCESS
               ? answer.activeBlocksPerMultiprocessor
               : 0;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads, size_t shared, unsigned flags)
{
    const struct fake_kernel *kernel = fake_kernel_find(function);
    const cudaError_t status = entered(__func__);
    (void)flags;
    *blocks = 0;
    if (status) return status;
    if (!kernel) return failed(cudaErrorInvalidDeviceFunction);
    *blocks = blocks_per_sm(kernel, threads, shared);
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads, size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config)
{
    const cudaError_t status = entered(__func__);
    (void)function;
    (void)config;
    *clusters = fake_state("no_clusters") ? 0 : 1;
    return status;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    struct fake_kernel *kernel = fake_kernel_find(function);
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!kernel || (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && (size_t)value > shared_per_sm() - 1024)) return failed(cudaErrorInvalidValue);
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) kernel->max_dynamic_shared = value;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    const struct fake_kernel *kernel = fake_kernel_find(function);
    const cudaError_t status = entered(__func__);
    if (status) return status;
    if (!kernel) return failed(cudaErrorInvalidDeviceFunction);
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = (size_t)kernel->static_shared;
    attributes->numRegs = kernel->registers;
    attributes->maxThreadsPerBlock = 1024;
    return cudaSuccess;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *found, const void *function)
{
    const cudaError_t status = entered(__func__);
    *found = (cudaFunction_t)fake_kernel_find(function);
    return status ? status : *found ? cudaSuccess : failed(cudaErrorInvalidDeviceFunction);
}

/* ---- the driver ------------------------------------------------------------------------------------------------------------------------------ */

static CUresult get_error_string(CUresult status, const char **text)
{
    *text = text_of((int)status);
    return (CUresult)fake_call("cuGetErrorString");
}

static CUresult context_current(CUcontext *context)
{
    *context = (CUcontext)(void *)&one_stream;
    return (CUresult)fake_call("cuCtxGetCurrent");
}

static CUresult function_name(const char **name, CUfunction function)
{
    *name = ((const struct fake_kernel *)function)->symbol;
    return (CUresult)fake_call("cuFuncGetName");
}

static CUresult function_attribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    const struct fake_kernel *kernel = (const struct fake_kernel *)function;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = kernel->registers; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = kernel->static_shared; break;
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = kernel->max_dynamic_shared ? kernel->max_dynamic_shared : GUARANTEED_SHARED;
        break;
    default: *value = 0; break;
    }
    return (CUresult)fake_call("cuFuncGetAttribute");
}

static CUresult function_blocks(int *blocks, CUfunction function, int threads, size_t shared)
{
    *blocks = blocks_per_sm((const struct fake_kernel *)function, threads, shared);
    return (CUresult)fake_call("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}

static CUresult node_parameters(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *parameters)
{
    const struct fake_launch *launch = &node->operation.launch;
    memset(parameters, 0, sizeof *parameters);
    parameters->kern = (CUkernel)(uintptr_t)launch->kernel;
    parameters->gridDimX = launch->grid[0];
    parameters->gridDimY = launch->grid[1];
    parameters->gridDimZ = launch->grid[2];
    parameters->blockDimX = launch->block[0];
    parameters->blockDimY = launch->block[1];
    parameters->blockDimZ = launch->block[2];
    parameters->sharedMemBytes = (unsigned)launch->shared;
    return (CUresult)fake_call("cuGraphKernelNodeGetParams");
}

static CUresult kernel_function(CUfunction *function, CUkernel kernel)
{
    *function = (CUfunction)(void *)kernel;
    return (CUresult)fake_call("cuKernelGetFunction");
}

/* The map's place in memory is all that a kernel here makes of it. */
static CUresult encode_map(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *base, const cuuint64_t *sides, const cuuint64_t *strides,
                           const cuuint32_t *box, const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                           CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    (void)type, (void)rank, (void)sides, (void)strides, (void)box, (void)steps, (void)interleave, (void)swizzle, (void)promotion, (void)fill;
    memset(map, 0, sizeof *map);
    memcpy(map, &base, sizeof base);
    return (CUresult)fake_call("cuTensorMapEncodeTiled");
}

typedef void any_function(void);

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **address, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found)
{
    static const struct {
        const char *name;
        any_function *function;
    } functions[] = {
        {"cuGetErrorString", (any_function *)get_error_string},
        {"cuCtxGetCurrent", (any_function *)context_current},
        {"cuFuncGetName", (any_function *)function_name},
        {"cuFuncGetAttribute", (any_function *)function_attribute},
        {"cuOccupancyMaxActiveBlocksPerMultiprocessor", (any_function *)function_blocks},
        {"cuGraphKernelNodeGetParams", (any_function *)node_parameters},
        {"cuKernelGetFunction", (any_function *)kernel_function},
        {"cuTensorMapEncodeTiled", (any_function *)encode_map},
    };
    const cudaError_t status = entered(__func__);
    (void)version;
    (void)flags;
    *address = NULL;
    *found = cudaDriverEntryPointSymbolNotFound;
    if (status) return status;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name)) continue;
        memcpy(address, &functions[i].function, sizeof *address);
        *found = cudaDriverEntryPointSuccess;
    }
    return cudaSuccess;
}
