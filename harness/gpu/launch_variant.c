#include "gpu/launch_variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "run/nvtx.h"

void launch_plan(const struct workbench *bench, const struct selected *selected, unsigned index,
                 struct launch *launch)
{
    const struct work work = workbench_view(bench, selected);
    memset(launch, 0, sizeof *launch);
    for (int i = 0; i < 3; i++) launch->grid[i] = launch->block[i] = 1;
    selected->variant->plan(&work, index, launch);
}

int launch_check(const struct selected *selected, const struct launch *launch)
{
    enum { MOST_Z = 64 };
    const unsigned *block = launch->block;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (threads >= 1 && threads <= MOST_BLOCK_THREADS && block[2] <= MOST_Z) return 0;
    return error(FAIL_INPUT,
                 "%s/%s launches blocks of %u x %u x %u threads; a block has 1 to %d, of them at "
                 "most %d along z",
                 selected->variant->family, selected->variant->name, block[0], block[1], block[2],
                 MOST_BLOCK_THREADS, MOST_Z);
}

/* A function may use this much shared memory, static and dynamic together; more must be granted to
 * it by name, and so must larger clusters. */
enum { GRANTED_BYTES = 48 << 10, GRANTED_CLUSTER = 8 };

/* How much of it is static is not known here, so any dynamic part is granted. */
static int grant(const struct launch *launch)
{
    if (launch->dynamic_shared > 0 &&
        !CUDA_OK(cudaFuncSetAttribute(launch->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)launch->dynamic_shared)))
        return FAIL_GPU;
    if (launch->cluster > GRANTED_CLUSTER &&
        !CUDA_OK(cudaFuncSetAttribute(launch->function,
                                      cudaFuncAttributeNonPortableClusterSizeAllowed, 1)))
        return FAIL_GPU;
    return 0;
}

/* The launch as the runtime takes it; `attribute` must live as long. */
static cudaLaunchConfig_t launch_config(const struct launch *launch, cudaStream_t stream,
                                        struct cudaLaunchAttribute_st attribute[2])
{
    cudaLaunchConfig_t config = {.gridDim = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                 .blockDim = {launch->block[0], launch->block[1], launch->block[2]},
                                 .dynamicSmemBytes = launch->dynamic_shared,
                                 .stream = stream,
                                 .attrs = attribute};
    memset(attribute, 0, 2 * sizeof *attribute);
    if (launch->cooperative) {
        attribute[config.numAttrs].id = cudaLaunchAttributeCooperative;
        attribute[config.numAttrs++].val.cooperative = 1;
    }
    if (launch->cluster) {
        attribute[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attribute[config.numAttrs].val.clusterDim.x = launch->cluster;
        attribute[config.numAttrs].val.clusterDim.y = 1;
        attribute[config.numAttrs++].val.clusterDim.z = 1;
    }
    return config;
}

/* A block can have no more shared memory than the device gives to one. */
static int check_shared(const struct workbench *bench, const struct launch *launch,
                        char reason[160])
{
    const size_t most = bench->device->properties.sharedMemPerBlockOptin;
    struct cudaFuncAttributes function;
    size_t needed = launch->dynamic_shared;
    if (needed + GRANTED_BYTES <= most) return 0; /* no function has more static shared memory */
    if (needed <= most) {
        if (!CUDA_OK(cudaFuncGetAttributes(&function, launch->function))) return FAIL_GPU;
        needed += function.sharedSizeBytes;
    }
    if (needed > most)
        snprintf(reason, 160, "it needs %zu bytes of shared memory per block; the device has %zu",
                 needed, most);
    return 0;
}

/* A grid that meets at a barrier must be resident as a whole. */
static int check_resident(const struct workbench *bench, const struct launch *launch,
                          char reason[160])
{
    const int threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    const int sms = bench->device->sm_count;
    const unsigned long long blocks =
        (unsigned long long)launch->grid[0] * launch->grid[1] * launch->grid[2];
    int per_sm = 0;
    if (!launch->cooperative) return 0;
    if (!bench->device->properties.cooperativeLaunch) {
        snprintf(reason, 160, "the device has no cooperative launch");
        return 0;
    }
    if (grant(launch) || !CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &per_sm, launch->function, threads, launch->dynamic_shared)))
        return FAIL_GPU;
    const unsigned long long most = (unsigned long long)per_sm * (unsigned)sms;
    if (blocks > most)
        snprintf(reason, 160,
                 "a cooperative grid must be resident at once: it has %llu blocks of %d threads, "
                 "%d SMs hold %llu",
                 blocks, threads, sms, most);
    return 0;
}

/* Tensor maps and clusters need compute capability 9.0, and a cluster must be resident as a whole.
 */
static int check_cluster(const struct workbench *bench, const struct launch *launch,
                         char reason[160])
{
    struct cudaLaunchAttribute_st attribute[2];
    const cudaLaunchConfig_t config = launch_config(launch, bench->device->stream, attribute);
    const int capability = bench->device->compute_capability;
    int clusters = 0;
    if ((launch->tensor_map_count || launch->cluster) && capability < 90)
        snprintf(reason, 160,
                 "it %s, which needs compute capability 9.0 or more; the device has %d.%d",
                 launch->tensor_map_count ? "copies by tensor maps" : "launches clusters of blocks",
                 capability / 10, capability % 10);
    if (*reason || !launch->cluster) return 0;
    if (grant(launch) ||
        !CUDA_OK(cudaOccupancyMaxActiveClusters(&clusters, launch->function, &config)))
        return FAIL_GPU;
    if (clusters < 1)
        snprintf(reason, 160, "the device cannot hold a cluster of %u such blocks at once",
                 launch->cluster);
    return 0;
}

int launch_refused(const struct workbench *bench, const struct selected *selected, char reason[160])
{
    static int (*const checks[])(const struct workbench *bench, const struct launch *launch,
                                 char reason[160]) = {check_shared, check_cluster, check_resident};
    const struct variant *variant = selected->variant;
    const char *why = variant->refuses
                          ? variant->refuses(&selected->point, bench->device->compute_capability)
                          : NULL;
    snprintf(reason, 160, "%s", why ? why : "");
    if (why || variant_kind(variant) != KIND_KERNEL) return 0;
    const unsigned count = variant_launches(variant, &selected->point);
    int result = 0;
    for (unsigned i = 0; i < count; i++) {
        struct launch launch;
        launch_plan(bench, selected, i, &launch);
        result = launch_check(selected, &launch);
        for (int check = 0; check < 3 && !result && !*reason; check++)
            result = checks[check](bench, &launch, reason);
        if (result || *reason) break;
    }
    return result;
}

int launch_clear(const struct workbench *bench, const struct selected *selected, unsigned index)
{
    struct launch launch;
    if (variant_kind(selected->variant) != KIND_KERNEL) return 0;
    launch_plan(bench, selected, index, &launch);
    const struct work work = workbench_view(bench, selected);
    cudaStream_t stream = bench->device->stream;
    if (launch.clear_output &&
        !CUDA_OK(cudaMemsetAsync(work.output, 0, bench->output.bytes, stream)))
        return FAIL_GPU;
    if (launch.clear_scratch &&
        !CUDA_OK(cudaMemsetAsync(work.scratch, 0, launch.clear_scratch, stream)))
        return FAIL_GPU;
    return 0;
}

static int library_call(const struct workbench *bench, const struct selected *selected)
{
    const struct variant *variant = selected->variant;
    const struct work work = workbench_view(bench, selected);
    const int status = variant->call(&work, bench->device->stream);
    if (!status) return 0;
    return error(FAIL_GPU, "%s/%s: the library returned error %d", variant->family, variant->name,
                 status);
}

/* Asks the driver: the runtime knows only kernels that were registered with it, and those of cuBLAS
 * were not. */
static int read_kernel(CUgraphNode node, struct listed_kernel *kernel)
{
    PFN_cuGraphKernelNodeGetParams_v12000 get_parameters;
    PFN_cuKernelGetFunction_v12000 get_function;
    CUDA_KERNEL_NODE_PARAMS_v2 parameters;
    if (driver_find("cuGraphKernelNodeGetParams", 12000, &get_parameters) ||
        driver_find("cuKernelGetFunction", 12000, &get_function))
        return FAIL_GPU;
    if (!driver_ok(get_parameters(node, &parameters), "cuGraphKernelNodeGetParams"))
        return FAIL_GPU;
    kernel->driver_function = parameters.func;
    if (!parameters.func &&
        !driver_ok(get_function(&kernel->driver_function, parameters.kern), "cuKernelGetFunction"))
        return FAIL_GPU;
    kernel->launch =
        (struct launch){.grid = {parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ},
                        .block = {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ},
                        .dynamic_shared = parameters.sharedMemBytes};
    return 0;
}

/* A captured call also has nodes that are no kernels, such as memsets. A library queues on one
 * stream, so the nodes form a chain; the runtime lists them in the order of their adding. */
static int read_kernels(cudaGraph_t graph, struct listed_kernel **list, unsigned *count)
{
    size_t nodes = 0;
    if (!CUDA_OK(cudaGraphGetNodes(graph, NULL, &nodes))) return FAIL_GPU;
    cudaGraphNode_t *node = calloc(nodes + 1, sizeof *node);
    *list = calloc(nodes + 1, sizeof **list);
    int result = node && *list ? 0 : error_memory();
    if (!result && !CUDA_OK(cudaGraphGetNodes(graph, node, &nodes))) result = FAIL_GPU;
    for (size_t i = 0; i < nodes && !result; i++) {
        enum cudaGraphNodeType type;
        if (!CUDA_OK(cudaGraphNodeGetType(node[i], &type))) result = FAIL_GPU;
        if (!result && type == cudaGraphNodeTypeKernel)
            result = read_kernel(node[i], &(*list)[(*count)++]);
    }
    free(node);
    return result;
}

/* Captures the call in a CUDA graph. The call must have run before: a library's first call may do
 * what is not possible under capture. */
static int library_kernels(const struct workbench *bench, const struct selected *selected,
                           struct listed_kernel **list, unsigned *count)
{
    cudaStream_t stream = bench->device->stream;
    cudaGraph_t graph = NULL;
    if (!CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal))) return FAIL_GPU;
    int result = library_call(bench, selected);
    if (!CUDA_OK(cudaStreamEndCapture(stream, &graph))) result = FAIL_GPU;
    if (!result) result = read_kernels(graph, list, count);
    if (graph) CUDA_RELEASE(cudaGraphDestroy(graph));
    return result;
}

/* ---- tensor maps ----------------------------------------------------------------------------- */

enum { PIECE_BYTES = 16, MOST_BOX = 256 };

/* Returns the driver's name of a swizzle, or -1 for an unknown width. */
static int find_swizzle(int bytes)
{
    switch (bytes) {
    case 0: return CU_TENSOR_MAP_SWIZZLE_NONE;
    case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128: return CU_TENSOR_MAP_SWIZZLE_128B;
    default: return -1;
    }
}

const char *tensor_map_fault(const struct tensor_map *map)
{
    const uint64_t most_side = UINT64_C(1) << 32, most_pitch = UINT64_C(1) << 40;
    const uint64_t bytes = tensor_map_element_bytes(map), box_bytes = map->box_columns * bytes;
    const struct {
        int is_so;
        const char *fault;
    } faults[] = {
        {!map->base || (uintptr_t)map->base % PIECE_BYTES, "its base is not aligned to 16 bytes"},
        {map->rows < 1 || map->columns < 1, "it has no elements"},
        {map->rows > most_side || map->columns > most_side, "a side has more than 2^32 elements"},
        {map->pitch % PIECE_BYTES != 0, "its pitch is not a multiple of 16 bytes"},
        {map->pitch / bytes < map->columns, "its pitch is shorter than a row"},
        {map->pitch >= most_pitch, "its pitch is 2^40 bytes or more"},
        {map->box_rows < 1 || map->box_columns < 1 || map->box_rows > MOST_BOX ||
             map->box_columns > MOST_BOX,
         "a side of its box is not between 1 and 256 elements"},
        {box_bytes % PIECE_BYTES != 0, "a row of its box is not a multiple of 16 bytes"},
        {(unsigned)map->element >= ELEMENT_COUNT, "its elements are of no known type"},
        {find_swizzle(map->swizzle) < 0, "its swizzle is not 0, 32, 64 or 128 bytes"},
        {map->swizzle > 0 && box_bytes > (uint64_t)map->swizzle,
         "a row of its box is wider than its swizzle"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].is_so) return faults[i].fault;
    return NULL;
}

static int refuse_map(const struct tensor_map *map, const char *fault)
{
    return error(
        FAIL_GPU,
        "a tensor map of %llu x %llu elements of %zu bytes at %p, pitch %llu bytes, box %u x %u, "
        "swizzle %d: %s",
        (unsigned long long)map->rows, (unsigned long long)map->columns,
        tensor_map_element_bytes(map), map->base, (unsigned long long)map->pitch, map->box_rows,
        map->box_columns, map->swizzle, fault);
}

/* Encodes with elements out of bounds as 0, and L2 sectors of 256 bytes. */
static int tensor_map_encode(const struct tensor_map *map, CUtensorMap *encoded)
{
    static const CUtensorMapDataType types[] = {
        [ELEMENT_FLOAT] = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        [ELEMENT_BFLOAT16] = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    };
    PFN_cuTensorMapEncodeTiled_v12000 encode;
    const char *fault = tensor_map_fault(map);
    if (fault) return refuse_map(map, fault);
    if (driver_find("cuTensorMapEncodeTiled", 12000, &encode)) return FAIL_GPU;
    /* Dimensions from the innermost outwards; the innermost has no stride. */
    const cuuint64_t sides[] = {map->columns, map->rows}, strides[] = {map->pitch};
    const cuuint32_t box[] = {map->box_columns, map->box_rows}, steps[] = {1, 1};
    const CUresult status =
        encode(encoded, types[map->element], 2, (void *)(uintptr_t)map->base, sides, strides, box,
               steps, CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)find_swizzle(map->swizzle),
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return driver_ok(status, "cuTensorMapEncodeTiled") ? 0
                                                       : refuse_map(map, "the driver rejects it");
}

/* ---- launching ------------------------------------------------------------------------------- */

static int launch_kernel(const struct workbench *bench, struct launch *launch)
{
    CUtensorMap map[TENSOR_MAPS];
    void *argument[TENSOR_MAPS + LAUNCH_ARGUMENTS];
    struct cudaLaunchAttribute_st attribute[2];
    for (int i = 0; i < launch->tensor_map_count; i++) {
        if (tensor_map_encode(&launch->tensor_map[i], &map[i])) return FAIL_GPU;
        argument[i] = &map[i];
    }
    for (int i = 0; i < launch->argument_count; i++)
        argument[launch->tensor_map_count + i] = &launch->argument[i];
    if (grant(launch)) return FAIL_GPU;
    const cudaLaunchConfig_t config = launch_config(launch, bench->device->stream, attribute);
    return CUDA_OK(cudaLaunchKernelExC(&config, launch->function, argument)) ? 0 : FAIL_GPU;
}

int launch_queue_as(const struct workbench *bench, const struct selected *selected, unsigned index,
                    const void *function)
{
    struct launch launch;
    launch_plan(bench, selected, index, &launch);
    if (function) launch.function = function;
    return launch_kernel(bench, &launch);
}

int launch_queue(const struct workbench *bench, const struct selected *selected, unsigned index)
{
    const int calls = variant_kind(selected->variant) == KIND_LIBRARY;
    struct launch launch;
    if (!calls) launch_plan(bench, selected, index, &launch);
    nvtx_launch(selected->variant, index, calls ? NULL : &launch);
    const int result = calls ? library_call(bench, selected) : launch_kernel(bench, &launch);
    nvtx_end();
    return result;
}

int launch_prepare(struct workbench *bench, const struct selected *selected, unsigned index)
{
    int result = workbench_poison(bench);
    for (unsigned i = 0; i < index && !result; i++) {
        result = launch_clear(bench, selected, i);
        nvtx_variant(selected, -1, 0);
        if (!result) result = launch_queue(bench, selected, i);
        nvtx_end();
    }
    if (!result) result = stream_gate_flush_l2(&bench->gate);
    if (!result) result = launch_clear(bench, selected, index);
    return result ? result : workbench_synchronize(bench);
}

int launch_all(const struct workbench *bench, const struct selected *selected)
{
    if (variant_kind(selected->variant) == KIND_CPU) {
        const struct work work = workbench_view(bench, selected);
        selected->variant->host(&work);
        return 0;
    }
    const unsigned count = variant_launches(selected->variant, &selected->point);
    int result = 0;
    for (unsigned i = 0; i < count && !result; i++) {
        result = launch_clear(bench, selected, i);
        if (!result) result = launch_queue(bench, selected, i);
    }
    return result;
}

int launch_kernels(const struct workbench *bench, const struct selected *selected,
                   struct listed_kernel **list, unsigned *count)
{
    *list = NULL;
    *count = 0;
    if (variant_kind(selected->variant) == KIND_CPU) return 0;
    if (variant_kind(selected->variant) == KIND_LIBRARY)
        return library_kernels(bench, selected, list, count);
    *count = variant_launches(selected->variant, &selected->point);
    *list = calloc(*count + 1, sizeof **list);
    if (!*list) return error_memory();
    for (unsigned i = 0; i < *count; i++) {
        launch_plan(bench, selected, i, &(*list)[i].launch);
        if (grant(&(*list)[i].launch)) return FAIL_GPU;
    }
    return 0;
}

/* ---- checking the result --------------------------------------------------------------------- */

static int compare(struct workbench *bench, const struct selected *selected, char reason[160])
{
    int intact = 1;
    if (variant_kind(selected->variant) != KIND_CPU) {
        const int result = workbench_fetch(bench, &intact);
        if (result) return result;
    }
    if (!intact) {
        snprintf(reason, 160, "wrote outside of its buffers");
        return FAIL_CHECK;
    }
    bench->verified.bound = selected_tolerance(selected);
    const int right = verify_within(bench->family, bench->result, bench->reference,
                                    bench->output.bytes, &bench->verified, reason);
    return right ? 0 : FAIL_CHECK;
}

int verify_run(struct workbench *bench, const struct selected *selected, char reason[160])
{
    nvtx_variant(selected, -1, 0);
    int result = workbench_expect(bench, selected);
    if (!result) result = launch_all(bench, selected);
    if (!result) result = compare(bench, selected, reason);
    if (result == FAIL_CHECK) nvtx_trouble("wrong result", selected->variant, reason);
    nvtx_end();
    if (result != FAIL_CHECK) return result;
    result = workbench_repair(bench);
    return result ? result : FAIL_CHECK;
}

int verify_point(struct workbench *bench, const struct selected *selected, char reason[160])
{
    const int result = workbench_poison(bench);
    if (variant_kind(selected->variant) == KIND_CPU) workbench_poison_host(bench);
    return result ? result : verify_run(bench, selected, reason);
}

int verify_trials(struct workbench *bench, const struct selected *selected, struct trials *trials,
                  char reason[160])
{
    char fault[160] = "", first[160] = "";
    int result = workbench_expect(bench, selected);
    nvtx_variant(selected, -1, 0);
    for (int trial = 0; trial < TRIALS && !result; trial++) {
        result = workbench_poison(bench);
        if (!result) result = launch_all(bench, selected);
        if (!result) result = compare(bench, selected, fault);
        if (result != FAIL_CHECK) continue;
        if (!trials->wrong++) memcpy(first, fault, sizeof first);
        result = 0;
    }
    nvtx_end();
    trials->count += TRIALS;
    if (trials->wrong)
        snprintf(reason, 160, "wrong in %d of %d launches, at first: %.100s", trials->wrong,
                 trials->count, first);
    else
        snprintf(reason, 160, "right in all of %d launches", trials->count);
    return result || !trials->wrong ? result : workbench_repair(bench);
}

const char *status_of_trials(int wrong)
{
    return wrong ? "wrong as expected" : "right by luck";
}

int verify_count_wrong(struct run *run, int wrong)
{
    const char *before = run_fact(run, "wrong_results");
    if (!wrong) return 0;
    return run_fact_set(run, "wrong_results", "%ld",
                        (before ? strtol(before, NULL, 10) : 0) + wrong);
}
