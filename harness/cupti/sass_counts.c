#include "cupti/sass_counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const sass_metric_name[INSTRUCTION_COUNTS] = {
    [COUNT_EXECUTED] = "smsp__sass_inst_executed",
    [COUNT_THREADS] = "smsp__sass_thread_inst_executed",
    [COUNT_THREADS_ON] = "smsp__sass_thread_inst_executed_pred_on",
    [COUNT_BRANCHES_UNIFORM] = "smsp__sass_branch_targets_threads_uniform",
    [COUNT_BRANCHES_DIVERGENT] = "smsp__sass_branch_targets_threads_divergent",
    [COUNT_SHARED_WAVEFRONTS] = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
    [COUNT_SHARED_IDEAL] = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
    [COUNT_GLOBAL_SECTORS] = "smsp__sass_sectors_mem_global",
    [COUNT_GLOBAL_IDEAL] = "smsp__sass_sectors_mem_global_ideal",
    [COUNT_LOCAL_SECTORS] = "smsp__sass_sectors_mem_local",
};

static int configure(struct sass_counts *counts, const char *chip, char reason[REASON_BYTES])
{
    CUpti_SassMetrics_Config config[INSTRUCTION_COUNTS];
    CUPTI_PARAMS(CUpti_SassMetricsSetConfig_Params, set, .deviceIndex = counts->device,
                 .numOfMetricConfig = INSTRUCTION_COUNTS, .pConfigs = config);
    for (int i = 0; i < INSTRUCTION_COUNTS; i++) {
        CUPTI_PARAMS(CUpti_SassMetrics_GetProperties_Params, properties, .pChipName = chip,
                     .pMetricName = sass_metric_name[i]);
        if (!CUPTI_OK(counts->cupti, cuptiSassMetricsGetProperties(&properties), reason))
            return FAIL_GPU;
        counts->id[i] = properties.metric.metricId;
        config[i] = (CUpti_SassMetrics_Config){properties.metric.metricId,
                                               CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU};
    }
    return CUPTI_CALL(counts->cupti, cuptiSassMetricsSetConfig(&set), reason);
}

static void unset(const struct sass_counts *counts)
{
    CUPTI_PARAMS(CUpti_SassMetricsUnsetConfig_Params, unset, .deviceIndex = counts->device);
    counts->cupti->cuptiSassMetricsUnsetConfig(&unset);
}

int sass_counts_begin(struct sass_counts *counts, const struct cupti *cupti, CUcontext context,
                      uint32_t device, const char *chip, char reason[REASON_BYTES])
{
    CUPTI_PARAMS(CUpti_SassMetricsEnable_Params, enable, .ctx = context, .enableLazyPatching = 1);
    *counts = (struct sass_counts){.cupti = cupti, .context = context, .device = device};
    if (configure(counts, chip, reason)) return FAIL_GPU;
    if (CUPTI_OK(cupti, cuptiSassMetricsEnable(&enable), reason)) return 0;
    unset(counts);
    return FAIL_GPU;
}

void sass_counts_end(struct sass_counts *counts)
{
    CUPTI_PARAMS(CUpti_SassMetricsDisable_Params, disable, .ctx = counts->context);
    counts->cupti->cuptiSassMetricsDisable(&disable);
    unset(counts);
}

static int by_function_and_pc(const void *a, const void *b)
{
    const CUpti_SassMetrics_Data *first = a, *second = b;
    if (first->cubinCrc != second->cubinCrc) return first->cubinCrc < second->cubinCrc ? -1 : 1;
    if (first->functionIndex != second->functionIndex)
        return first->functionIndex < second->functionIndex ? -1 : 1;
    return (first->pcOffset > second->pcOffset) - (first->pcOffset < second->pcOffset);
}

/* Makes rows of one instruction each from records of one metric each. */
static int visit_rows(const struct sass_counts *counts, CUpti_SassMetrics_Data *data, size_t count,
                      sass_row_visitor *visit, void *context)
{
    double value[INSTRUCTION_COUNTS];
    int result = 0;
    qsort(data, count, sizeof *data, by_function_and_pc);
    for (size_t i = 0; i < count && !result; i++) {
        if (i == 0 || by_function_and_pc(&data[i - 1], &data[i]))
            for (int m = 0; m < INSTRUCTION_COUNTS; m++) value[m] = NAN;
        for (int m = 0; m < INSTRUCTION_COUNTS; m++)
            if (data[i].pInstanceValues->metricId == counts->id[m])
                value[m] = (double)data[i].pInstanceValues->value;
        if (i + 1 == count || by_function_and_pc(&data[i], &data[i + 1]))
            result = visit(context, data[i].functionName ? data[i].functionName : "",
                           data[i].pcOffset, value);
    }
    return result;
}

/* The names in the records are left to CUPTI, which does not document who owns them; this happens
 * once in a process. */
int sass_counts_read(const struct sass_counts *counts, sass_row_visitor *visit, void *context,
                     char reason[REASON_BYTES])
{
    CUPTI_PARAMS(CUpti_SassMetricsGetDataProperties_Params, properties, .ctx = counts->context);
    if (!CUPTI_OK(counts->cupti, cuptiSassMetricsGetDataProperties(&properties), reason))
        return FAIL_GPU;
    const size_t count = properties.numOfPatchedInstructionRecords;
    CUpti_SassMetrics_Data *data = calloc(count + 1, sizeof *data);
    CUpti_SassMetrics_InstanceValue *value = calloc(count + 1, sizeof *value);
    int result = FAIL_GPU;
    for (size_t i = 0; data && value && i < count; i++) {
        data[i].structSize = sizeof data[i];
        data[i].pInstanceValues = &value[i];
    }
    CUPTI_PARAMS(CUpti_SassMetricsFlushData_Params, flush, .ctx = counts->context,
                 .numOfPatchedInstructionRecords = count, .numOfInstances = 1,
                 .pMetricsData = data);
    if (count == 0 || properties.numOfInstances != 1)
        snprintf(reason, REASON_BYTES,
                 "CUPTI returned no counts for the instructions of the kernel");
    else if (!data || !value)
        snprintf(reason, REASON_BYTES, "memory is short");
    else if (CUPTI_OK(counts->cupti, cuptiSassMetricsFlushData(&flush), reason))
        result = visit_rows(counts, data, count, visit, context);
    free(data);
    free(value);
    return result;
}
