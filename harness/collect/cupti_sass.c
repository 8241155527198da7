/*
 * Counts per instruction with CUPTI's SASS metrics (collect/collector.h), which patch the
 * code so that it counts.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "collect/cupti.h"
#include "collect/sass_metrics.h"
#include "gpu/device.h"

/* A record of CUPTI is a value of one metric at one instruction. */
struct sass_records {
    size_t count;
    CUpti_SassMetrics_Data *data;
    CUpti_SassMetrics_InstanceValue *value;
};

static int configure(struct cupti *cupti, uint64_t id[INSTRUCTION_COUNTS],
                     char reason[REASON_BYTES])
{
    CUpti_SassMetrics_Config config[INSTRUCTION_COUNTS];
    CUPTI_PARAMS(CUpti_SassMetricsSetConfig_Params, set, .numOfMetricConfig = INSTRUCTION_COUNTS,
                 .pConfigs = config);
    for (int i = 0; i < INSTRUCTION_COUNTS; i++) {
        CUPTI_PARAMS(CUpti_SassMetrics_GetProperties_Params, properties, .pChipName = cupti->chip,
                     .pMetricName = sass_metric_name[i]);
        if (!CUPTI_OK(cupti, cuptiSassMetricsGetProperties(&properties), reason)) return FAIL_GPU;
        id[i] = properties.metric.metricId;
        config[i] = (CUpti_SassMetrics_Config){id[i], CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU};
    }
    return CUPTI_CALL(cupti, cuptiSassMetricsSetConfig(&set), reason);
}

/* Reads all records. The caller frees both arrays, also after a failure. */
static int read_records(struct cupti *cupti, struct sass_records *records,
                        char reason[REASON_BYTES])
{
    CUPTI_PARAMS(CUpti_SassMetricsGetDataProperties_Params, properties, .ctx = cupti->context);
    if (!CUPTI_OK(cupti, cuptiSassMetricsGetDataProperties(&properties), reason)) return FAIL_GPU;
    if (properties.numOfPatchedInstructionRecords == 0 || properties.numOfInstances != 1) {
        snprintf(reason, REASON_BYTES,
                 "CUPTI returned no counts for the instructions of the kernel");
        return FAIL_GPU;
    }
    records->count = properties.numOfPatchedInstructionRecords;
    records->data = calloc(records->count, sizeof *records->data);
    records->value = calloc(records->count, sizeof *records->value);
    if (!records->data || !records->value) return error_memory();
    for (size_t i = 0; i < records->count; i++) {
        records->data[i].structSize = sizeof records->data[i];
        records->data[i].pInstanceValues = &records->value[i];
    }
    CUPTI_PARAMS(CUpti_SassMetricsFlushData_Params, flush, .ctx = cupti->context,
                 .numOfPatchedInstructionRecords = records->count, .numOfInstances = 1,
                 .pMetricsData = records->data);
    return CUPTI_CALL(cupti, cuptiSassMetricsFlushData(&flush), reason);
}

static int by_pc(const void *a, const void *b)
{
    const unsigned first = ((const CUpti_SassMetrics_Data *)a)->pcOffset,
                   second = ((const CUpti_SassMetrics_Data *)b)->pcOffset;
    return (first > second) - (first < second);
}

/* Makes rows of one instruction each from records of one metric each. */
static int make_rows(struct sass_records *records, const uint64_t id[INSTRUCTION_COUNTS],
                     struct counted_kernel *kernel)
{
    kernel->symbol = strdup(records->data[0].functionName ? records->data[0].functionName : "");
    kernel->instruction = calloc(records->count, sizeof *kernel->instruction);
    if (!kernel->symbol || !kernel->instruction) return error_memory();
    qsort(records->data, records->count, sizeof *records->data, by_pc);
    struct counted_instruction *row = NULL;
    for (size_t i = 0; i < records->count; i++) {
        const CUpti_SassMetrics_Data *data = &records->data[i];
        if (!row || row->pc != data->pcOffset) {
            row = &kernel->instruction[kernel->count++];
            row->pc = data->pcOffset;
            for (int m = 0; m < INSTRUCTION_COUNTS; m++) row->count[m] = NAN;
        }
        for (int m = 0; m < INSTRUCTION_COUNTS; m++)
            if (data->pInstanceValues->metricId == id[m])
                row->count[m] = (double)data->pInstanceValues->value;
    }
    return 0;
}

int instructions_count(struct cupti *cupti, int (*launch)(void *context), void *context,
                       struct counted_kernel *kernel, char reason[REASON_BYTES])
{
    uint64_t id[INSTRUCTION_COUNTS];
    struct sass_records records = {0};
    CUPTI_PARAMS(CUpti_SassMetricsEnable_Params, enable, .ctx = cupti->context,
                 .enableLazyPatching = 1);
    CUPTI_PARAMS(CUpti_SassMetricsDisable_Params, disable, .ctx = cupti->context);
    CUPTI_PARAMS(CUpti_SassMetricsUnsetConfig_Params, unset, .pPriv = NULL);
    memset(kernel, 0, sizeof *kernel);
    int result = configure(cupti, id, reason);
    if (result) return result;
    if (CUPTI_OK(cupti, cuptiSassMetricsEnable(&enable), reason)) {
        result = launch(context);
        if (!result && !CUDA_OK(cudaDeviceSynchronize())) result = FAIL_GPU;
        if (!result) result = read_records(cupti, &records, reason);
        if (!result) result = make_rows(&records, id, kernel);
        cupti->cuptiSassMetricsDisable(&disable);
    } else {
        result = FAIL_GPU;
    }
    cupti->cuptiSassMetricsUnsetConfig(&unset);
    /* The names in the records are left to CUPTI, which does not document who owns them; this
     * happens once in a process. */
    free(records.data);
    free(records.value);
    if (result) counted_kernel_free(kernel);
    return result;
}

void counted_kernel_free(struct counted_kernel *kernel)
{
    free(kernel->symbol);
    free(kernel->instruction);
    memset(kernel, 0, sizeof *kernel);
}
