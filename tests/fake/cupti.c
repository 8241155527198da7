/*
 * A libcupti.so.13 for the GPU that there is not (fake.h): range profiler by user ranges and user replay, SASS metrics, PC sampling, PM sampling, activity records. What
 * it counts is what the fake runtime says that a kernel did; it knows the metrics of metric_values() and no others. Its images are its own.
 *
 * Words of FAKE_STATE that act here: refused (35), busy (26), subscribed (39, with a name by cuptiSubscribe_v2), cupti_memory (8), unsupported, vgpu, sli, wsl, nan, dropped, ranges_wrong, endless_passes,
 * no_time_trigger, overflow, image_full, dropped_records, buffer_full, no_instructions.
 */
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"

static const char magic[8] = "LOPDATA", chip[] = "FAKE100";

enum { HEADER_BYTES = 4096, NAME_BYTES = 24, METRICS_A_PASS = 16 };

/* What refuses every use of counters, whichever call asks first. */
static CUptiResult refusal(void)
{
    if (fake_state("refused")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    if (fake_state("busy")) return CUPTI_ERROR_HARDWARE_BUSY;
    if (fake_state("subscribed")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    if (fake_state("cupti_memory")) return CUPTI_ERROR_OUT_OF_MEMORY;
    return CUPTI_SUCCESS;
}

static CUptiResult entered(const char *name)
{
    return (CUptiResult)fake_call(name);
}

/* ---- what is counted --------------------------------------------------------------------------------------------------------------------------- */

/* Of a range, or of a sample. */
struct totals {
    struct fake_cost cost;
    double ns, busy_ns, cycles, cycles_active, launches;
};

static void add_cost(struct fake_cost *to, const struct fake_cost *from, double share)
{
    const double *what = (const double *)from;
    double *sum = (double *)to;
    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++) sum[i] += share * what[i];
}

struct metric {
    const char *name;
    double value;
};

static double ratio(double a, double b)
{
    return a / b; /* 0/0 is no number, as CUPTI has it */
}

enum { MOST_METRICS = 128 };

/* Every metric that there is, with its value; returns how many. To add one: a row. */
static size_t metric_values(const struct totals *t, struct metric list[MOST_METRICS])
{
    const struct fake_cost *c = &t->cost;
    const double schedulers = FAKE_SMS * FAKE_SCHEDULERS, scheduler_cycles = schedulers * t->cycles_active, seconds = t->ns / 1e9;
    const double warps = fmin(8, ratio(c->warps, schedulers)), dram = c->dram_read_bytes + c->dram_written_bytes;
    const double wavefronts = c->shared_load_wavefronts + c->shared_store_wavefronts, threads = 32 * c->instructions;
    /* Warps resident per issue: one that issues, the others by what they wait for. */
    const double per_issue = 1 + ratio(warps * scheduler_cycles, c->instructions), waiting = per_issue - 1;
    const double global = c->global_loads + c->global_stores, shared = c->shared_loads + c->shared_stores;
    const double peak_dram = FAKE_DRAM_BYTES_PER_CYCLE;
    const struct metric rows[] = {
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", c->shared_load_wavefronts - c->shared_loads},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", c->shared_store_wavefronts - c->shared_stores},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.avg.per_cycle_elapsed", ratio((wavefronts - shared) / FAKE_SMS, t->cycles)},
        {"l1tex__data_bank_conflicts_type_arbitration.sum", 0},
        {"smsp__inst_executed_op_shared_ld.sum", c->shared_loads},
        {"smsp__inst_executed_op_shared_st.sum", c->shared_stores},
        {"sm__warps_active.avg.pct_of_peak_sustained_active", 100 * warps / 16},
        {"sm__warps_active.avg.per_cycle_elapsed", ratio(warps * FAKE_SCHEDULERS * t->cycles_active, t->cycles)},
        {"dram__bytes_read.sum", c->dram_read_bytes},
        {"dram__bytes_write.sum", c->dram_written_bytes},
        {"dram__bytes.sum", dram},
        {"dram__bytes.sum.per_second", ratio(dram, seconds)},
        {"dram__bytes.sum.peak_sustained", peak_dram},
        {"dram__bytes.sum.peak_sustained_elapsed.per_second", peak_dram * FAKE_MHZ * 1e6},
        {"dram__cycles_elapsed.avg.per_second", FAKE_MHZ * 1e6},
        {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 100 * ratio(dram, peak_dram * t->cycles)},
        {"gpu__time_duration.sum", t->ns},
        {"sm__cycles_active.avg", t->cycles_active},
        {"sm__cycles_active.max", t->cycles_active},
        {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", 100 * ratio(t->cycles_active, t->cycles)},
        {"sm__cycles_elapsed.max", t->cycles},
        {"sm__cycles_elapsed.avg.per_second", ratio(t->cycles, seconds)},
        {"sm__inst_executed.sum", c->instructions},
        {"sm__inst_executed_pipe_alu.sum", c->instructions / 2},
        {"sm__inst_executed_pipe_tensor.sum", 0},
        {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", 0},
        {"smsp__sass_average_branch_targets_threads_uniform.pct", 100 * (1 - ratio(c->divergent_branches, c->branches))},
        {"smsp__sass_branch_targets.sum", c->branches},
        {"smsp__sass_branch_targets_threads_uniform.sum", c->branches - c->divergent_branches},
        {"smsp__sass_branch_targets_threads_divergent.sum", c->divergent_branches},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", c->shared_load_wavefronts},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", c->shared_store_wavefronts},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", 0},
        {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum", wavefronts},
        {"l1tex__data_pipe_lsu_wavefronts.sum", wavefronts + global},
        {"l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.per_cycle_elapsed", ratio(wavefronts / FAKE_SMS, t->cycles)},
        {"smsp__sass_inst_executed_op_shared_ld.sum", c->shared_loads},
        {"smsp__sass_inst_executed_op_shared_st.sum", c->shared_stores},
        {"smsp__sass_inst_executed_op_shared.sum", shared},
        {"smsp__sass_inst_executed_op_global.sum", global},
        {"smsp__sass_inst_executed_op_global_ld.sum", c->global_loads},
        {"smsp__sass_inst_executed_op_local.sum", 0},
        {"smsp__sass_inst_executed_op_branch.sum", c->branches},
        {"smsp__sass_inst_executed_op_ldgsts.sum", 0},
        {"smsp__sass_data_bytes_mem_shared.sum", 128 * shared},
        {"smsp__sass_data_bytes_mem_shared_op_ld.sum", 128 * c->shared_loads},
        {"smsp__sass_data_bytes_mem_shared_op_st.sum", 128 * c->shared_stores},
        {"smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct", 100 * ratio(shared, wavefronts)},
        {"smsp__sass_data_bytes_mem_global_op_ld.sum", c->global_load_bytes},
        {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum", c->global_load_bytes / 32},
        {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_ld.sum", 0},
        {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_local_op_st.sum", 0},
        {"smsp__sass_thread_inst_executed.sum", threads},
        {"smsp__sass_thread_inst_executed_pred_on.sum", 0.9 * threads},
        {"smsp__sass_inst_executed.sum", c->instructions},
        {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 0},
        {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 0},
        {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 128 * FAKE_SMS},
        {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained", 64 * FAKE_SMS},
        {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained", 256 * FAKE_SMS},
        {"lts__t_sectors_srcunit_tex.sum", (c->global_load_bytes + c->global_store_bytes) / 32},
        {"lts__t_sectors.sum", (c->global_load_bytes + c->global_store_bytes) / 32},
        {"lts__t_bytes.sum", c->global_load_bytes + c->global_store_bytes},
        {"l1tex__t_bytes.sum", c->global_load_bytes + c->global_store_bytes},
        {"smsp__cycles_active.sum", scheduler_cycles},
        {"smsp__issue_active.sum", c->instructions},
        {"smsp__issue_inst0.sum", scheduler_cycles - c->instructions},
        {"smsp__issue_active.avg.pct_of_peak_sustained_active", 100 * ratio(c->instructions, scheduler_cycles)},
        {"smsp__issue_active.avg.pct_of_peak_sustained_elapsed", 100 * ratio(c->instructions, schedulers * t->cycles)},
        {"smsp__average_warps_active_per_issue_active.ratio", per_issue},
        {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 0.2 * waiting},
        {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 0.5 * waiting},
        {"smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", 0.1 * waiting},
        {"smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio", 0.05 * waiting},
        {"smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio", 0},
        {"smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", 0.05 * waiting},
        {"smsp__average_warps_issue_stalled_dispatch_stall_per_issue_active.ratio", 0},
        {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 0.05 * waiting},
        {"smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio", 0.05 * waiting},
        {"smsp__average_warps_issue_stalled_branch_resolving_per_issue_active.ratio", 0},
        {"smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", 0},
    };
    _Static_assert(sizeof rows <= MOST_METRICS * sizeof *list, "room for all metrics");
    memcpy(list, rows, sizeof rows);
    return sizeof rows / sizeof *rows;
}

/* 1 when there is such a metric. */
static int find_metric(const struct totals *totals, const char *name, double *value)
{
    struct metric list[MOST_METRICS];
    const size_t count = metric_values(totals, list);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name)) continue;
        *value = list[i].value;
        return 1;
    }
    return 0;
}

/* ---- images: a header, then records -------------------------------------------------------------------------------------------------------------- */

struct header {
    char magic[8];
    size_t count;
};

struct record {
    char name[NAME_BYTES];
    uint64_t begin_ns, end_ns;
    struct totals totals;
};

static struct record *records_of(const uint8_t *image)
{
    return (struct record *)(uintptr_t)(image + HEADER_BYTES);
}

static struct header *header_of(const uint8_t *image)
{
    return (struct header *)(uintptr_t)image;
}

static CUptiResult check_image(const uint8_t *image, size_t size, size_t index)
{
    if (!image || size < HEADER_BYTES || memcmp(image, magic, sizeof magic)) return CUPTI_ERROR_INVALID_PARAMETER;
    return index < header_of(image)->count ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

static CUptiResult begin_image(uint8_t *image, size_t size)
{
    if (size < HEADER_BYTES) return CUPTI_ERROR_INVALID_PARAMETER;
    memset(image, 0, HEADER_BYTES);
    memcpy(image, magic, sizeof magic);
    return CUPTI_SUCCESS;
}

/* ---- the library ----------------------------------------------------------------------------------------------------------------------------------- */

CUptiResult cuptiGetVersion(uint32_t *version)
{
    *version = CUPTI_API_VERSION;
    return entered(__func__);
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = result == CUPTI_ERROR_INVALID_METRIC_NAME ? "CUPTI_ERROR_INVALID_METRIC_NAME" : "CUPTI_ERROR_UNKNOWN";
    return entered(__func__);
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *params)
{
    const CUptiResult status = entered(__func__);
    (void)params;
    if (!status) fake_held("profiler initialisations", 1);
    return status;
}

CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *params)
{
    (void)params;
    fake_held("profiler initialisations", -1);
    return entered(__func__);
}

CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *params)
{
    const CUpti_Profiler_Support_Level yes = CUPTI_PROFILER_CONFIGURATION_SUPPORTED, no = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    const int vgpu = fake_state("vgpu"), sli = fake_state("sli"), wsl = fake_state("wsl");
    params->architecture = params->confidentialCompute = params->cmp = yes;
    params->sli = sli ? no : yes;
    params->vGpu = vgpu ? CUPTI_PROFILER_CONFIGURATION_DISABLED : yes;
    params->wsl = wsl ? no : yes;
    params->isSupported = vgpu || sli || wsl || fake_state("unsupported") ? no : yes;
    return entered(__func__);
}

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *params)
{
    (void)params;
    return entered(__func__);
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *params)
{
    params->pChipName = chip;
    return entered(__func__);
}

/* ---- host objects ------------------------------------------------------------------------------------------------------------------------------------ */

struct CUpti_Profiler_Host_Object {
    CUpti_ProfilerType type;
    size_t metrics;
};

struct configuration {
    char magic[8];
    size_t passes;
};

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *params)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    if (strcmp(params->pChipName, chip)) return CUPTI_ERROR_INVALID_PARAMETER;
    params->pHostObject = calloc(1, sizeof *params->pHostObject);
    if (!params->pHostObject) return CUPTI_ERROR_OUT_OF_MEMORY;
    params->pHostObject->type = params->profilerType;
    fake_held("host objects", 1);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *params)
{
    free(params->pHostObject);
    fake_held("host objects", -1);
    return entered(__func__);
}

CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params *params)
{
    const struct totals nothing = {0};
    double value;
    const CUptiResult status = entered(__func__);
    return status ? status : find_metric(&nothing, params->pMetricName, &value) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_METRIC_NAME;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *params)
{
    const struct totals nothing = {0};
    double value;
    const CUptiResult status = entered(__func__);
    if (status) return status;
    for (size_t i = 0; i < params->numMetrics; i++)
        if (!find_metric(&nothing, params->ppMetricNames[i], &value)) return CUPTI_ERROR_INVALID_METRIC_NAME;
    params->pHostObject->metrics += params->numMetrics;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *params)
{
    params->configImageSize = sizeof(struct configuration);
    return entered(__func__);
}

/* Over time there is one pass. */
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *params)
{
    const CUpti_Profiler_Host_Object *host = params->pHostObject;
    struct configuration configuration = {"CONFIG", host->type == CUPTI_PROFILER_TYPE_PM_SAMPLING && !fake_state("many_passes") ? 1 : (fake_state("many_passes") ? 2 : 1) + host->metrics / METRICS_A_PASS};
    const CUptiResult status = entered(__func__);
    if (status) return status;
    if (params->configImageSize < sizeof configuration) return CUPTI_ERROR_INVALID_PARAMETER;
    memcpy(params->pConfigImage, &configuration, sizeof configuration);
    return CUPTI_SUCCESS;
}

static size_t passes_of(const uint8_t *image)
{
    struct configuration configuration;
    memcpy(&configuration, image, sizeof configuration);
    return configuration.passes;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *params)
{
    params->numOfPasses = passes_of(params->pConfigImage);
    return entered(__func__);
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *params)
{
    const CUptiResult status = entered(__func__), found = check_image(params->pCounterDataImage, params->counterDataImageSize, params->rangeIndex);
    if (status || found) return status ? status : found;
    const struct record *record = &records_of(params->pCounterDataImage)[params->rangeIndex];
    for (size_t i = 0; i < params->numMetrics; i++) {
        if (!find_metric(&record->totals, params->ppMetricNames[i], &params->pMetricValues[i])) return CUPTI_ERROR_INVALID_METRIC_NAME;
        if (fake_state("nan") && i % 3 == 0) params->pMetricValues[i] = NAN;
    }
    return CUPTI_SUCCESS;
}

/* ---- who listens -------------------------------------------------------------------------------------------------------------------------------------- */

enum { MOST_RANGES = 256, MOST_RUNS = 8192 };

struct CUpti_RangeProfiler_Object {
    size_t passes, done, count, most;
    int started, open;
    uint8_t *image;
    struct record record[MOST_RANGES];
};

static struct CUpti_RangeProfiler_Object *profiler;

/* Kernels that have run while PM sampling was on. */
static struct {
    uint64_t begin_ns, end_ns;
    struct fake_cost cost;
} runs[MOST_RUNS];

static size_t run_count;

static void count_instructions(const struct fake_ran *ran);
static void take_samples(const struct fake_ran *ran);
static void record_activity(const struct fake_ran *ran);
static int is_sampling_over_time(void);

static void listen(const struct fake_ran *ran)
{
    if (profiler && profiler->open && profiler->count < MOST_RANGES) {
        struct totals *totals = &profiler->record[profiler->count].totals;
        add_cost(&totals->cost, &ran->cost, 1);
        totals->cycles += ran->cycles + 400;
        totals->cycles_active += 0.97 * ran->cycles;
        totals->ns += (double)(ran->end_ns - ran->begin_ns) + 300;
        totals->launches++;
    }
    if (is_sampling_over_time() && run_count < MOST_RUNS) {
        runs[run_count].begin_ns = ran->begin_ns;
        runs[run_count].end_ns = ran->end_ns;
        runs[run_count++].cost = ran->cost;
    }
    count_instructions(ran);
    take_samples(ran);
    record_activity(ran);
}

static void begin_listening(void)
{
    fake_synchronize();
    fake_listener = listen;
}

/* ---- ranges ---------------------------------------------------------------------------------------------------------------------------------------- */

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *params)
{
    const CUptiResult status = entered(__func__), refused = refusal();
    if (status || refused) return status ? status : refused;
    if (profiler) return CUPTI_ERROR_INVALID_OPERATION;
    profiler = calloc(1, sizeof *profiler);
    if (!profiler) return CUPTI_ERROR_OUT_OF_MEMORY;
    params->pRangeProfilerObject = profiler;
    fake_held("range profilers", 1);
    begin_listening();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *params)
{
    if (params->pRangeProfilerObject != profiler) fake_misuse("another range profiler was disabled");
    free(profiler);
    profiler = NULL;
    fake_held("range profilers", -1);
    return entered(__func__);
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *params)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    profiler->passes = passes_of(params->pConfig);
    profiler->done = profiler->count = 0;
    profiler->most = params->maxRangesPerPass;
    profiler->image = params->pCounterDataImage;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *params)
{
    const CUptiResult status = entered(__func__);
    (void)params;
    if (status) return status;
    if (profiler->started) return CUPTI_ERROR_INVALID_OPERATION;
    profiler->started = 1;
    profiler->count = 0;
    memset(profiler->record, 0, sizeof profiler->record);
    fake_held("started ranges", 1);
    fake_advance(20000000);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *params)
{
    const CUptiResult status = entered(__func__);
    fake_synchronize();
    if (!profiler->started) return CUPTI_ERROR_INVALID_OPERATION;
    profiler->started = 0;
    fake_held("started ranges", -1);
    profiler->done++;
    params->isAllPassSubmitted = profiler->done >= profiler->passes && !fake_state("endless_passes");
    return status;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *params)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    if (profiler->open || !profiler->started || profiler->count >= MOST_RANGES || profiler->count >= profiler->most) return CUPTI_ERROR_INVALID_OPERATION;
    fake_synchronize();
    snprintf(profiler->record[profiler->count].name, NAME_BYTES, "%s", params->pRangeName);
    profiler->open = 1;
    fake_held("open ranges", 1);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *params)
{
    const CUptiResult status = entered(__func__);
    (void)params;
    fake_synchronize();
    if (!profiler->open) return CUPTI_ERROR_INVALID_OPERATION;
    profiler->open = 0;
    profiler->count++;
    fake_held("open ranges", -1);
    return status;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *params)
{
    const CUptiResult status = entered(__func__);
    params->numOfRangeDropped = fake_state("dropped") ? 2 : 0;
    if (status) return status;
    header_of(profiler->image)->count = profiler->count - (fake_state("ranges_wrong") && profiler->count ? 1 : 0);
    memcpy(records_of(profiler->image), profiler->record, profiler->count * sizeof *profiler->record);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *params)
{
    params->counterDataSize = HEADER_BYTES + params->maxNumOfRanges * sizeof(struct record);
    return entered(__func__);
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *params)
{
    const CUptiResult status = entered(__func__);
    return status ? status : begin_image(params->pCounterData, params->counterDataSize);
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *params)
{
    params->numTotalRanges = header_of(params->pCounterDataImage)->count;
    return entered(__func__);
}

CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *params)
{
    const CUptiResult status = entered(__func__), found = check_image(params->pCounterDataImage, params->counterDataImageSize, params->rangeIndex);
    if (status || found) return status ? status : found;
    params->rangeName = records_of(params->pCounterDataImage)[params->rangeIndex].name;
    return CUPTI_SUCCESS;
}

/* ---- counts per instruction ---------------------------------------------------------------------------------------------------------------------------- */

static const char *const sass_metrics[] = {
    "smsp__sass_inst_executed", "smsp__sass_thread_inst_executed", "smsp__sass_thread_inst_executed_pred_on",
    "smsp__sass_branch_targets_threads_uniform", "smsp__sass_branch_targets_threads_divergent",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
    "smsp__sass_sectors_mem_global", "smsp__sass_sectors_mem_global_ideal", "smsp__sass_sectors_mem_local",
};

enum { SASS_METRICS = sizeof sass_metrics / sizeof *sass_metrics, INSTRUCTION_BYTES = 16 };

static int sass_configured, sass_enabled;
static const char *counted_symbol;   /* the first kernel since it was enabled: there are no counts of others */
static struct fake_cost counted;

static void count_instructions(const struct fake_ran *ran)
{
    if (!sass_enabled || (counted_symbol && strcmp(counted_symbol, ran->launch->kernel->symbol))) return;
    counted_symbol = ran->launch->kernel->symbol;
    add_cost(&counted, &ran->cost, 1);
}

CUptiResult cuptiSassMetricsGetProperties(CUpti_SassMetrics_GetProperties_Params *params)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    for (size_t i = 0; i < SASS_METRICS; i++) {
        if (strcmp(sass_metrics[i], params->pMetricName)) continue;
        params->metric.metricId = 100 + i;
        return CUPTI_SUCCESS;
    }
    return CUPTI_ERROR_INVALID_METRIC_NAME;
}

CUptiResult cuptiSassMetricsSetConfig(CUpti_SassMetricsSetConfig_Params *params)
{
    const CUptiResult status = entered(__func__), refused = refusal();
    if (status || refused) return status ? status : refused;
    if (sass_configured || params->numOfMetricConfig != SASS_METRICS) return CUPTI_ERROR_INVALID_OPERATION;
    sass_configured = 1;
    fake_held("SASS configurations", 1);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsUnsetConfig(CUpti_SassMetricsUnsetConfig_Params *params)
{
    (void)params;
    sass_configured = 0;
    fake_held("SASS configurations", -1);
    return entered(__func__);
}

CUptiResult cuptiSassMetricsEnable(CUpti_SassMetricsEnable_Params *params)
{
    const CUptiResult status = entered(__func__);
    (void)params;
    if (status) return status;
    if (!sass_configured) return CUPTI_ERROR_INVALID_OPERATION;
    begin_listening();
    sass_enabled = 1;
    counted_symbol = NULL;
    memset(&counted, 0, sizeof counted);
    fake_held("SASS metrics", 1);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsDisable(CUpti_SassMetricsDisable_Params *params)
{
    (void)params;
    sass_enabled = 0;
    fake_held("SASS metrics", -1);
    return entered(__func__);
}

CUptiResult cuptiSassMetricsGetDataProperties(CUpti_SassMetricsGetDataProperties_Params *params)
{
    params->numOfInstances = 1;
    params->numOfPatchedInstructionRecords = counted_symbol && !fake_state("no_instructions") ? FAKE_INSTRUCTIONS * SASS_METRICS : 0;
    return entered(__func__);
}

/* The first instructions of the code are the loads, the sums in shared memory and the branch; the others share the rest. */
static uint64_t sass_value(size_t at, size_t metric)
{
    const double each = floor(counted.instructions / FAKE_INSTRUCTIONS), wavefronts = counted.shared_load_wavefronts, sectors = counted.global_load_bytes / 32;
    const double branches = fmin(each, counted.branches), divergent = fmin(branches, counted.divergent_branches);
    const double value[SASS_METRICS] = {each, 32 * each, 30 * each, at == 3 ? branches - divergent : 0, at == 3 ? divergent : 0,
                                        at == 2 ? wavefronts : 0, at == 2 ? counted.shared_loads : 0, at == 1 ? sectors : 0, at == 1 ? sectors : 0, 0};
    return (uint64_t)value[metric];
}

CUptiResult cuptiSassMetricsFlushData(CUpti_SassMetricsFlushData_Params *params)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    for (size_t i = 0; i < params->numOfPatchedInstructionRecords; i++) {
        CUpti_SassMetrics_Data *data = &params->pMetricsData[i];
        const size_t at = i % FAKE_INSTRUCTIONS, metric = i / FAKE_INSTRUCTIONS;
        data->functionName = counted_symbol;
        data->pcOffset = (uint32_t)(at * INSTRUCTION_BYTES);
        data->pInstanceValues[0] = (CUpti_SassMetrics_InstanceValue){100 + metric, sass_value(at, metric)};
    }
    return CUPTI_SUCCESS;
}

/* ---- samples of the program counter ------------------------------------------------------------------------------------------------------------------------ */

static const char *const stall_reasons[] = {
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard", "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
    "smsp__pcsamp_warps_issue_stalled_barrier",         "smsp__pcsamp_warps_issue_stalled_barrier_not_issued",
    "smsp__pcsamp_warps_issue_stalled_selected",
};

enum { STALL_REASONS = sizeof stall_reasons / sizeof *stall_reasons, MOST_SAMPLED = 16, PCS_AT_ONCE = 20 /* so that asking again is needed */ };

static struct {
    int enabled, started;
    unsigned exponent;
    size_t kernels, given;
    struct {
        const char *symbol;
        double samples;
    } kernel[MOST_SAMPLED];
} sampling = {.exponent = 12};

static void take_samples(const struct fake_ran *ran)
{
    size_t at = 0;
    if (!sampling.started) return;
    while (at < sampling.kernels && strcmp(sampling.kernel[at].symbol, ran->launch->kernel->symbol)) at++;
    if (at == MOST_SAMPLED) return;
    if (at == sampling.kernels) {
        sampling.kernel[sampling.kernels].samples = 0;
        sampling.kernel[sampling.kernels++].symbol = ran->launch->kernel->symbol;
    }
    sampling.kernel[at].samples += ran->cycles * FAKE_SMS * 4 / exp2(sampling.exponent);
}

CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *params)
{
    const CUptiResult status = entered(__func__), refused = refusal();
    (void)params;
    if (status || refused) return status ? status : refused;
    sampling.enabled = 1;
    fake_held("PC samplers", 1);
    begin_listening();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *params)
{
    (void)params;
    sampling.enabled = 0;
    fake_held("PC samplers", -1);
    return entered(__func__);
}

CUptiResult cuptiPCSamplingStart(CUpti_PCSamplingStartParams *params)
{
    const CUptiResult status = entered(__func__);
    (void)params;
    if (status) return status;
    fake_synchronize();
    sampling.started = 1;
    sampling.kernels = sampling.given = 0;
    fake_held("started PC samplers", 1);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingStop(CUpti_PCSamplingStopParams *params)
{
    (void)params;
    sampling.started = 0;
    fake_held("started PC samplers", -1);
    return entered(__func__);
}

CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *params)
{
    CUpti_PCSamplingData *data = params->pcSamplingData;
    const CUptiResult status = entered(__func__);
    if (status) return status;
    const size_t all = sampling.kernels * FAKE_INSTRUCTIONS, left = all - sampling.given, now = left < PCS_AT_ONCE ? left : PCS_AT_ONCE;
    data->hardwareBufferFull = fake_state("buffer_full") != 0;
    data->totalSamples = data->droppedSamples = data->nonUsrKernelsTotalSamples = 0;
    for (size_t i = 0; i < now && i < data->collectNumPcs; i++) {
        const size_t at = sampling.given + i, pc = at % FAKE_INSTRUCTIONS;
        const double each = sampling.kernel[at / FAKE_INSTRUCTIONS].samples / FAKE_INSTRUCTIONS;
        const double share[STALL_REASONS] = {0.6, 0.5, pc == 3 ? 0.2 : 0, pc == 3 ? 0.2 : 0, 0.2};
        CUpti_PCSamplingPCData *row = &data->pPcData[i];
        row->functionName = (char *)(uintptr_t)sampling.kernel[at / FAKE_INSTRUCTIONS].symbol;
        row->pcOffset = pc * INSTRUCTION_BYTES;
        row->stallReasonCount = STALL_REASONS;
        for (size_t r = 0; r < STALL_REASONS; r++) {
            row->stallReason[r].pcSamplingStallReasonIndex = (uint32_t)(r + 1);
            row->stallReason[r].samples = (uint32_t)(each * share[r]);
            if (r != 1 && r != 3) data->totalSamples += (uint64_t)(each * share[r]);
        }
    }
    data->totalNumPcs = now;
    sampling.given += now;
    data->remainingNumPcs = left - now;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *params)
{
    *params->numStallReasons = STALL_REASONS;
    return entered(__func__);
}

CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *params)
{
    const CUptiResult status = entered(__func__);
    for (size_t i = 0; i < params->numStallReasons && !status; i++) {
        params->stallReasonIndex[i] = (uint32_t)(i + 1);
        snprintf(params->stallReasons[i], CUPTI_STALL_REASON_STRING_SIZE, "%s", stall_reasons[i]);
    }
    return status;
}

CUptiResult cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *params)
{
    const CUptiResult status = entered(__func__);
    for (size_t i = 0; i < params->numAttributes && !status; i++)
        if (params->pPCSamplingConfigurationInfo[i].attributeType == CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD)
            sampling.exponent = params->pPCSamplingConfigurationInfo[i].attributeData.samplingPeriodData.samplingPeriod;
    return status;
}

/* ---- counters over time ------------------------------------------------------------------------------------------------------------------------------------ */

struct CUpti_PmSampling_Object {
    uint64_t interval_ns, begin_ns, end_ns;
    int started;
};

static struct CUpti_PmSampling_Object *session;

static int is_sampling_over_time(void)
{
    return session && session->started;
}

CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params *params)
{
    const CUptiResult status = entered(__func__), refused = refusal();
    if (status || refused) return status ? status : refused;
    if (session) return CUPTI_ERROR_INVALID_OPERATION;
    session = calloc(1, sizeof *session);
    if (!session) return CUPTI_ERROR_OUT_OF_MEMORY;
    params->pPmSamplingObject = session;
    fake_held("PM sampling sessions", 1);
    begin_listening();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params *params)
{
    if (params->pPmSamplingObject != session) fake_misuse("another PM sampling session was disabled");
    free(session);
    session = NULL;
    fake_held("PM sampling sessions", -1);
    return entered(__func__);
}

CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params *params)
{
    const int by_time = params->triggerMode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
    const CUptiResult status = entered(__func__);
    if (status) return status;
    if (by_time && fake_state("no_time_trigger")) return CUPTI_ERROR_NOT_SUPPORTED;
    session->interval_ns = by_time ? params->samplingInterval : params->samplingInterval * 1000 / FAKE_MHZ;
    return session->interval_ns ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params *params)
{
    const CUptiResult status = entered(__func__);
    (void)params;
    if (status) return status;
    fake_synchronize();
    session->started = 1;
    session->begin_ns = fake_now();
    run_count = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params *params)
{
    (void)params;
    fake_synchronize();
    session->started = 0;
    session->end_ns = fake_now();
    return entered(__func__);
}

/* What ran in the time between, by the share of each kernel's time that lies in it. */
static void sum_sample(struct record *record, uint64_t begin_ns, uint64_t end_ns)
{
    struct totals *totals = &record->totals;
    memset(record, 0, sizeof *record);
    totals->ns = (double)(end_ns - begin_ns);
    totals->cycles = totals->ns * FAKE_MHZ / 1e3;
    for (size_t i = 0; i < run_count; i++) {
        const uint64_t from = runs[i].begin_ns > begin_ns ? runs[i].begin_ns : begin_ns, to = runs[i].end_ns < end_ns ? runs[i].end_ns : end_ns;
        if (from >= to) continue;
        add_cost(&totals->cost, &runs[i].cost, (double)(to - from) / (double)(runs[i].end_ns - runs[i].begin_ns));
        totals->cycles_active += (double)(to - from) * FAKE_MHZ / 1e3;
    }
}

/* From the fake's clock to that of the program's stages. */
static uint64_t offset_ns(void)
{
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    return (uint64_t)real.tv_sec * 1000000000u + (uint64_t)real.tv_nsec - fake_now();
}

CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params *params)
{
    const size_t most = (params->counterDataImageSize - HEADER_BYTES) / sizeof(struct record);
    const CUptiResult status = entered(__func__);
    params->overflow = fake_state("overflow") != 0;
    params->decodeStopReason = fake_state("image_full") ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    if (status) return status;
    const uint64_t offset = offset_ns();
    struct header *header = header_of(params->pCounterDataImage);
    for (uint64_t ns = session->begin_ns; ns + session->interval_ns <= session->end_ns && header->count < most; ns += session->interval_ns) {
        struct record *record = &records_of(params->pCounterDataImage)[header->count++];
        sum_sample(record, ns, ns + session->interval_ns);
        record->begin_ns = ns + offset;
        record->end_ns = ns + session->interval_ns + offset;
    }
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params *params)
{
    params->counterDataSize = HEADER_BYTES + params->maxSamples * sizeof(struct record);
    return entered(__func__);
}

CUptiResult cuptiPmSamplingCounterDataImageInitialize(CUpti_PmSampling_CounterDataImage_Initialize_Params *params)
{
    const CUptiResult status = entered(__func__);
    return status ? status : begin_image(params->pCounterData, params->counterDataSize);
}

CUptiResult cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params *params)
{
    params->numTotalSamples = params->numPopulatedSamples = params->numCompletedSamples = header_of(params->pCounterDataImage)->count;
    return entered(__func__);
}

CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(CUpti_PmSampling_CounterData_GetSampleInfo_Params *params)
{
    const CUptiResult status = entered(__func__), found = check_image(params->pCounterDataImage, params->counterDataImageSize, params->sampleIndex);
    if (status || found) return status ? status : found;
    params->startTimestamp = records_of(params->pCounterDataImage)[params->sampleIndex].begin_ns;
    params->endTimestamp = records_of(params->pCounterDataImage)[params->sampleIndex].end_ns;
    return CUPTI_SUCCESS;
}

/* ---- activity records ------------------------------------------------------------------------------------------------------------------------------------- */

enum { MOST_ACTIVITIES = 512 };

static struct {
    int subscribed, enabled;
    CUpti_BuffersCallbackRequestFunc request;
    CUpti_BuffersCallbackCompleteFunc complete;
    CUpti_TimestampCallbackFunc clock;
    size_t count;
    CUpti_ActivityKernel10 record[MOST_ACTIVITIES];
} activity;

static void record_activity(const struct fake_ran *ran)
{
    if (!activity.enabled || activity.count == MOST_ACTIVITIES) return;
    const uint64_t offset = activity.clock ? activity.clock() - fake_now() : 0;
    CUpti_ActivityKernel10 *record = &activity.record[activity.count++];
    memset(record, 0, sizeof *record);
    record->kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record->name = ran->launch->kernel->symbol;
    record->start = ran->begin_ns + offset;
    record->end = ran->end_ns + offset;
    record->gridX = (int32_t)ran->launch->grid[0];
    record->gridY = (int32_t)ran->launch->grid[1];
    record->gridZ = (int32_t)ran->launch->grid[2];
    record->blockX = (int32_t)ran->launch->block[0];
    record->blockY = (int32_t)ran->launch->block[1];
    record->blockZ = (int32_t)ran->launch->block[2];
    record->registersPerThread = (uint16_t)ran->launch->kernel->registers;
    record->staticSharedMemory = ran->launch->kernel->static_shared;
    record->dynamicSharedMemory = (int32_t)ran->launch->shared;
    record->streamId = 7;
}

static CUptiResult subscribe(CUpti_SubscriberHandle *subscriber)
{
    if (activity.subscribed || fake_state("subscribed")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    activity.subscribed = 1;
    *subscriber = (CUpti_SubscriberHandle)(void *)&activity;
    fake_held("subscribers", 1);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *context)
{
    const CUptiResult status = entered(__func__);
    (void)callback;
    (void)context;
    return status ? status : subscribe(subscriber);
}

/* Says who has it, where somebody has. */
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *context, CUpti_SubscriberParams *params)
{
    const CUptiResult planted = entered(__func__), status = planted ? planted : subscribe(subscriber);
    (void)callback;
    (void)context;
    if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) snprintf(params->oldSubscriberName, params->oldSubscriberSize, "CUPTI for a tool of this test");
    return status;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
    (void)subscriber;
    activity.subscribed = 0;
    activity.request = NULL;
    activity.complete = NULL;
    fake_held("subscribers", -1);
    return entered(__func__);
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    const CUptiResult status = entered(__func__);
    (void)kind;
    if (status) return status;
    begin_listening();
    activity.enabled = 1;
    activity.count = 0;
    fake_held("activities", 1);
    return CUPTI_SUCCESS;
}

/* Also what was never enabled can be disabled. */
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    (void)kind;
    if (activity.enabled) fake_held("activities", -1);
    activity.enabled = 0;
    return entered(__func__);
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    const CUptiResult status = entered(__func__);
    uint8_t *buffer = NULL;
    size_t size = 0, most = 0;
    (void)flag;
    fake_synchronize();
    if (status || !activity.count || !activity.request) return status;
    activity.request(&buffer, &size, &most);
    if (!buffer) return CUPTI_ERROR_OUT_OF_MEMORY;
    const size_t fit = size / sizeof *activity.record, count = activity.count < fit ? activity.count : fit;
    memcpy(buffer, activity.record, count * sizeof *activity.record);
    activity.count = 0;
    activity.complete(NULL, 0, buffer, size, count * sizeof *activity.record);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + sizeof *activity.record : buffer;
    const CUptiResult status = entered(__func__);
    if (status) return status;
    if (next + sizeof *activity.record > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
    (void)context;
    (void)stream;
    *dropped = fake_state("dropped_records") ? 3 : 0;
    return entered(__func__);
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    activity.request = request;
    activity.complete = complete;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    activity.clock = clock;
    return CUPTI_SUCCESS;
}
