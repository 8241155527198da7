/*
 * Counts the instructions of one launch with CUPTI's SASS metrics, which patch the kernel's code,
 * and writes counts.csv. Found by experiment with CUPTI 13.0: a process can do this once, and with
 * lazy patching only.
 */
#include <cupti_profiler_target.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collect/sass_metrics.h"
#include "inject/part_files.h"
#include "inject/watch.h"

static uint64_t id[INSTRUCTION_COUNTS];
static int counted = -1;        /* kernel of the plan whose launch runs now */
static uint32_t counted_device; /* its device */

static int configure(CUcontext context)
{
    CUpti_SassMetrics_Config config[INSTRUCTION_COUNTS];
    PARAMS(CUpti_Profiler_Initialize_Params, initialize, .pPriv = NULL);
    if (!WATCH_OK(cuptiGetDeviceId(context, &counted_device), "counts", counted) ||
        !WATCH_OK(cuptiProfilerInitialize(&initialize), "counts", counted))
        return 0;
    PARAMS(CUpti_Device_GetChipName_Params, chip, .deviceIndex = counted_device);
    if (!WATCH_OK(cuptiDeviceGetChipName(&chip), "counts", counted)) return 0;
    for (int i = 0; i < INSTRUCTION_COUNTS; i++) {
        PARAMS(CUpti_SassMetrics_GetProperties_Params, properties, .pChipName = chip.pChipName,
               .pMetricName = sass_metric_name[i]);
        if (!WATCH_OK(cuptiSassMetricsGetProperties(&properties), "counts", counted)) return 0;
        id[i] = properties.metric.metricId;
        config[i] = (CUpti_SassMetrics_Config){id[i], CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU};
    }
    PARAMS(CUpti_SassMetricsSetConfig_Params, set, .deviceIndex = counted_device,
           .numOfMetricConfig = INSTRUCTION_COUNTS, .pConfigs = config);
    return WATCH_OK(cuptiSassMetricsSetConfig(&set), "counts", counted);
}

int counts_begin(CUcontext context, int kernel)
{
    static int done;
    if (done) return 0;
    done = 1;
    counted = kernel;
    PARAMS(CUpti_SassMetricsEnable_Params, enable, .ctx = context, .enableLazyPatching = 1);
    driver.synchronize();
    return configure(context) && WATCH_OK(cuptiSassMetricsEnable(&enable), "counts", kernel);
}

/* The kernel may call functions, whose instructions are counted as well. */
static int by_function_and_pc(const void *a, const void *b)
{
    const CUpti_SassMetrics_Data *first = a, *second = b;
    if (first->cubinCrc != second->cubinCrc) return first->cubinCrc < second->cubinCrc ? -1 : 1;
    if (first->functionIndex != second->functionIndex)
        return first->functionIndex < second->functionIndex ? -1 : 1;
    return (first->pcOffset > second->pcOffset) - (first->pcOffset < second->pcOffset);
}

static void write_row(const CUpti_SassMetrics_Data *at, const double value[INSTRUCTION_COUNTS])
{
    struct csv_writer *row = part_row(PART_COUNTS);
    if (!row) return;
    csv_integer(row, counted);
    csv_text(row, at->functionName ? at->functionName : "");
    csv_integer(row, at->pcOffset);
    csv_numbers(row, INSTRUCTION_COUNTS, value);
    part_row_end(row);
}

/* Makes rows of one instruction each from records of one metric each. */
static void write_records(CUpti_SassMetrics_Data *data, size_t count)
{
    double value[INSTRUCTION_COUNTS];
    qsort(data, count, sizeof *data, by_function_and_pc);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || by_function_and_pc(&data[i - 1], &data[i]))
            for (int m = 0; m < INSTRUCTION_COUNTS; m++) value[m] = NAN;
        for (int m = 0; m < INSTRUCTION_COUNTS; m++)
            if (data[i].pInstanceValues->metricId == id[m])
                value[m] = (double)data[i].pInstanceValues->value;
        if (i + 1 == count || by_function_and_pc(&data[i], &data[i + 1]))
            write_row(&data[i], value);
    }
}

/* The names in the records stay CUPTI's, which does not document who owns them. */
static void read_records(CUcontext context)
{
    PARAMS(CUpti_SassMetricsGetDataProperties_Params, properties, .ctx = context);
    if (!WATCH_OK(cuptiSassMetricsGetDataProperties(&properties), "counts", counted)) return;
    const size_t count = properties.numOfPatchedInstructionRecords;
    CUpti_SassMetrics_Data *data = calloc(count + 1, sizeof *data);
    CUpti_SassMetrics_InstanceValue *value = calloc(count + 1, sizeof *value);
    for (size_t i = 0; data && value && i < count; i++) {
        data[i].structSize = sizeof data[i];
        data[i].pInstanceValues = &value[i];
    }
    PARAMS(CUpti_SassMetricsFlushData_Params, flush, .ctx = context,
           .numOfPatchedInstructionRecords = count, .numOfInstances = 1, .pMetricsData = data);
    if (count == 0 || properties.numOfInstances != 1)
        part_problem("counts", counted, "CUPTI returned no counts for the instructions");
    else if (!data || !value)
        part_problem("counts", counted, "memory is short");
    else if (WATCH_OK(cuptiSassMetricsFlushData(&flush), "counts", counted))
        write_records(data, count);
    free(data);
    free(value);
}

void counts_end(CUcontext context)
{
    PARAMS(CUpti_SassMetricsDisable_Params, disable, .ctx = context);
    PARAMS(CUpti_SassMetricsUnsetConfig_Params, unset, .deviceIndex = counted_device);
    driver.synchronize();
    read_records(context);
    cuptiSassMetricsDisable(&disable);
    cuptiSassMetricsUnsetConfig(&unset);
    part_flush();
}
