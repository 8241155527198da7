/*
 * Emulates CUPTI's counts per instruction (SASS metrics) and samples of the program counter.
 *
 * Words of FAKE_STATE used here: no_instructions, buffer_full; those of refusal().
 */
#include <cupti_pcsampling.h>
#include <cupti_sass_metrics.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cupti.h"

/* ---- counts per instruction ------------------------------------------------------------------ */

static const char *const sass_metrics[] = {
    "smsp__sass_inst_executed",
    "smsp__sass_thread_inst_executed",
    "smsp__sass_thread_inst_executed_pred_on",
    "smsp__sass_branch_targets_threads_uniform",
    "smsp__sass_branch_targets_threads_divergent",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
    "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
    "smsp__sass_sectors_mem_global",
    "smsp__sass_sectors_mem_global_ideal",
    "smsp__sass_sectors_mem_local",
};

enum { SASS_METRICS = sizeof sass_metrics / sizeof *sass_metrics, INSTRUCTION_BYTES = 16 };

static int sass_configured, sass_enabled;
static const char
    *counted_symbol; /* the first kernel since counting was enabled: no others are counted */
static struct fake_cost counted;

void fake_cupti_count_instructions(const struct fake_ran *ran)
{
    if (!sass_enabled || (counted_symbol && strcmp(counted_symbol, ran->launch->kernel->symbol)))
        return;
    counted_symbol = ran->launch->kernel->symbol;
    fake_cupti_add_cost(&counted, &ran->cost, 1);
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
    if (sass_configured || params->numOfMetricConfig != SASS_METRICS)
        return CUPTI_ERROR_INVALID_OPERATION;
    sass_configured = 1;
    fake_held("SASS configurations", 1);
    return CUPTI_SUCCESS;
}

ALWAYS(cuptiSassMetricsUnsetConfig, (CUpti_SassMetricsUnsetConfig_Params * params),
       sass_configured = 0;
       fake_held("SASS configurations", -1))

CUptiResult cuptiSassMetricsEnable(CUpti_SassMetricsEnable_Params *params)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    if (!sass_configured) return CUPTI_ERROR_INVALID_OPERATION;
    fake_cupti_begin_listening();
    sass_enabled = 1;
    counted_symbol = NULL;
    memset(&counted, 0, sizeof counted);
    fake_held("SASS metrics", 1);
    return CUPTI_SUCCESS;
}

ALWAYS(cuptiSassMetricsDisable, (CUpti_SassMetricsDisable_Params * params), sass_enabled = 0;
       fake_held("SASS metrics", -1))
ALWAYS(cuptiSassMetricsGetDataProperties, (CUpti_SassMetricsGetDataProperties_Params * params),
       params->numOfInstances = 1;
       params->numOfPatchedInstructionRecords = counted_symbol && !fake_state("no_instructions")
                                                    ? FAKE_INSTRUCTIONS * SASS_METRICS
                                                    : 0)

/* The code begins with the loads, the sums in shared memory and the branch; the other instructions
 * share the rest of the counts. */
static uint64_t sass_value(size_t at, size_t metric)
{
    const double each = floor(counted.instructions / FAKE_INSTRUCTIONS),
                 wavefronts = counted.shared_load_wavefronts,
                 sectors = counted.global_load_bytes / 32;
    const double branches = fmin(each, counted.branches),
                 divergent = fmin(branches, counted.divergent_branches);
    const double value[SASS_METRICS] = {each,
                                        32 * each,
                                        30 * each,
                                        at == 3 ? branches - divergent : 0,
                                        at == 3 ? divergent : 0,
                                        at == 2 ? wavefronts : 0,
                                        at == 2 ? counted.shared_loads : 0,
                                        at == 1 ? sectors : 0,
                                        at == 1 ? sectors : 0,
                                        0};
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
        data->pInstanceValues[0] =
            (CUpti_SassMetrics_InstanceValue){100 + metric, sass_value(at, metric)};
    }
    return CUPTI_SUCCESS;
}

/* ---- samples of the program counter ---------------------------------------------------------- */

static const char *const stall_reasons[] = {
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
    "smsp__pcsamp_warps_issue_stalled_barrier",
    "smsp__pcsamp_warps_issue_stalled_barrier_not_issued",
    "smsp__pcsamp_warps_issue_stalled_selected",
};

enum {
    STALL_REASONS = sizeof stall_reasons / sizeof *stall_reasons,
    MOST_SAMPLED = 16,
    PCS_AT_ONCE = 20 /* so that the program must ask again */
};

static struct {
    int enabled, started;
    unsigned exponent;
    size_t kernels, given;
    struct {
        const char *symbol;
        double samples;
    } kernel[MOST_SAMPLED];
} sampling = {.exponent = 12};

void fake_cupti_take_samples(const struct fake_ran *ran)
{
    size_t at = 0;
    if (!sampling.started) return;
    while (at < sampling.kernels && strcmp(sampling.kernel[at].symbol, ran->launch->kernel->symbol))
        at++;
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
    if (status || refused) return status ? status : refused;
    sampling.enabled = 1;
    fake_held("PC samplers", 1);
    fake_cupti_begin_listening();
    return CUPTI_SUCCESS;
}

ALWAYS(cuptiPCSamplingDisable, (CUpti_PCSamplingDisableParams * params), sampling.enabled = 0;
       fake_held("PC samplers", -1))

CUptiResult cuptiPCSamplingStart(CUpti_PCSamplingStartParams *params)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    fake_synchronize();
    sampling.started = 1;
    sampling.kernels = sampling.given = 0;
    fake_held("started PC samplers", 1);
    return CUPTI_SUCCESS;
}

ALWAYS(cuptiPCSamplingStop, (CUpti_PCSamplingStopParams * params), sampling.started = 0;
       fake_held("started PC samplers", -1))

CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *params)
{
    CUpti_PCSamplingData *data = params->pcSamplingData;
    const CUptiResult status = entered(__func__);
    if (status) return status;
    const size_t all = sampling.kernels * FAKE_INSTRUCTIONS, left = all - sampling.given,
                 now = left < PCS_AT_ONCE ? left : PCS_AT_ONCE;
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

ALWAYS(cuptiPCSamplingGetNumStallReasons, (CUpti_PCSamplingGetNumStallReasonsParams * params),
       *params->numStallReasons = STALL_REASONS)

CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *params)
{
    const CUptiResult status = entered(__func__);
    for (size_t i = 0; i < params->numStallReasons && !status; i++) {
        params->stallReasonIndex[i] = (uint32_t)(i + 1);
        snprintf(params->stallReasons[i], CUPTI_STALL_REASON_STRING_SIZE, "%s", stall_reasons[i]);
    }
    return status;
}

CUptiResult
cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *params)
{
    const CUptiResult status = entered(__func__);
    for (size_t i = 0; i < params->numAttributes && !status; i++)
        if (params->pPCSamplingConfigurationInfo[i].attributeType ==
            CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD)
            sampling.exponent = params->pPCSamplingConfigurationInfo[i]
                                    .attributeData.samplingPeriodData.samplingPeriod;
    return status;
}
