/*
 * Emulates the host side of CUPTI: support of the device, configurations, images and their values.
 * Its images have a format of their own.
 *
 * Words of FAKE_STATE used here: unsupported, vgpu, sli, wsl, many_passes, nan.
 */
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cupti.h"

static const char magic[8] = "LOPDATA", chip[] = "FAKE100";

enum { METRICS_A_PASS = 16 };

CUptiResult fake_cupti_check_image(const uint8_t *image, size_t size, size_t index)
{
    if (!image || size < HEADER_BYTES || memcmp(image, magic, sizeof magic))
        return CUPTI_ERROR_INVALID_PARAMETER;
    return index < header_of(image)->count ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult fake_cupti_begin_image(uint8_t *image, size_t size)
{
    if (size < HEADER_BYTES) return CUPTI_ERROR_INVALID_PARAMETER;
    memset(image, 0, HEADER_BYTES);
    memcpy(image, magic, sizeof magic);
    return CUPTI_SUCCESS;
}

/* ---- the library ----------------------------------------------------------------------------- */

ALWAYS(cuptiGetVersion, (uint32_t * version), *version = CUPTI_API_VERSION)
ALWAYS(cuptiGetResultString, (CUptiResult result, const char **text),
       *text = result == CUPTI_ERROR_INVALID_METRIC_NAME ? "CUPTI_ERROR_INVALID_METRIC_NAME"
                                                         : "CUPTI_ERROR_UNKNOWN")

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *params)
{
    const CUptiResult status = entered(__func__);
    if (!status) fake_held("profiler initialisations", 1);
    return status;
}

ALWAYS(cuptiProfilerDeInitialize, (CUpti_Profiler_DeInitialize_Params * params),
       fake_held("profiler initialisations", -1))

CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *params)
{
    const CUpti_Profiler_Support_Level yes = CUPTI_PROFILER_CONFIGURATION_SUPPORTED,
                                       no = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    const int vgpu = fake_state("vgpu"), sli = fake_state("sli"), wsl = fake_state("wsl");
    params->architecture = params->confidentialCompute = params->cmp = yes;
    params->sli = sli ? no : yes;
    params->vGpu = vgpu ? CUPTI_PROFILER_CONFIGURATION_DISABLED : yes;
    params->wsl = wsl ? no : yes;
    params->isSupported = vgpu || sli || wsl || fake_state("unsupported") ? no : yes;
    return entered(__func__);
}

ALWAYS(cuptiProfilerGetCounterAvailability,
       (CUpti_Profiler_GetCounterAvailability_Params * params), )
ALWAYS(cuptiDeviceGetChipName, (CUpti_Device_GetChipName_Params * params), params->pChipName = chip)

/* ---- host objects ---------------------------------------------------------------------------- */

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

ALWAYS(cuptiProfilerHostDeinitialize, (CUpti_Profiler_Host_Deinitialize_Params * params),
       free(params->pHostObject);
       fake_held("host objects", -1))

CUptiResult
cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params *params)
{
    const struct totals nothing = {0};
    double value;
    const CUptiResult status = entered(__func__);
    return status ? status
           : fake_cupti_find_metric(&nothing, params->pMetricName, &value)
               ? CUPTI_SUCCESS
               : CUPTI_ERROR_INVALID_METRIC_NAME;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *params)
{
    const struct totals nothing = {0};
    double value;
    const CUptiResult status = entered(__func__);
    if (status) return status;
    for (size_t i = 0; i < params->numMetrics; i++)
        if (!fake_cupti_find_metric(&nothing, params->ppMetricNames[i], &value))
            return CUPTI_ERROR_INVALID_METRIC_NAME;
    params->pHostObject->metrics += params->numMetrics;
    return CUPTI_SUCCESS;
}

ALWAYS(cuptiProfilerHostGetConfigImageSize,
       (CUpti_Profiler_Host_GetConfigImageSize_Params * params),
       params->configImageSize = sizeof(struct configuration))

/* PM sampling uses one pass. */
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *params)
{
    const CUpti_Profiler_Host_Object *host = params->pHostObject;
    struct configuration configuration = {
        "CONFIG", host->type == CUPTI_PROFILER_TYPE_PM_SAMPLING && !fake_state("many_passes")
                      ? 1
                      : (fake_state("many_passes") ? 2 : 1) + host->metrics / METRICS_A_PASS};
    const CUptiResult status = entered(__func__);
    if (status) return status;
    if (params->configImageSize < sizeof configuration) return CUPTI_ERROR_INVALID_PARAMETER;
    memcpy(params->pConfigImage, &configuration, sizeof configuration);
    return CUPTI_SUCCESS;
}

size_t fake_cupti_passes(const uint8_t *image)
{
    struct configuration configuration;
    memcpy(&configuration, image, sizeof configuration);
    return configuration.passes;
}

ALWAYS(cuptiProfilerHostGetNumOfPasses, (CUpti_Profiler_Host_GetNumOfPasses_Params * params),
       params->numOfPasses = fake_cupti_passes(params->pConfigImage))

CUptiResult
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *params)
{
    const CUptiResult status = entered(__func__),
                      found =
                          fake_cupti_check_image(params->pCounterDataImage,
                                                 params->counterDataImageSize, params->rangeIndex);
    if (status || found) return status ? status : found;
    const struct record *record = &records_of(params->pCounterDataImage)[params->rangeIndex];
    for (size_t i = 0; i < params->numMetrics; i++) {
        if (!fake_cupti_find_metric(&record->totals, params->ppMetricNames[i],
                                    &params->pMetricValues[i]))
            return CUPTI_ERROR_INVALID_METRIC_NAME;
        if (fake_state("nan") && i % 3 == 0) params->pMetricValues[i] = NAN;
    }
    return CUPTI_SUCCESS;
}
