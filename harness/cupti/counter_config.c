#include "cupti/counter_config.h"

#include <stdio.h>
#include <stdlib.h>

CUpti_Profiler_Host_Object *cupti_host_open(const struct cupti *cupti, const char *chip,
                                            CUpti_ProfilerType type, char reason[REASON_BYTES])
{
    CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, params, .pChipName = chip,
                 .profilerType = type);
    return CUPTI_OK(cupti, cuptiProfilerHostInitialize(&params), reason) ? params.pHostObject
                                                                         : NULL;
}

void cupti_host_close(const struct cupti *cupti, CUpti_Profiler_Host_Object *host)
{
    CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params, .pHostObject = host);
    if (host) cupti->cuptiProfilerHostDeinitialize(&params);
}

uint8_t *cupti_config_make(const struct cupti *cupti, CUpti_Profiler_Host_Object *host,
                           const char **metric, size_t count, size_t *size, int *passes,
                           char reason[REASON_BYTES])
{
    CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add, .pHostObject = host,
                 .ppMetricNames = metric, .numMetrics = count);
    CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, get_size, .pHostObject = host);
    if (!CUPTI_OK(cupti, cuptiProfilerHostConfigAddMetrics(&add), reason) ||
        !CUPTI_OK(cupti, cuptiProfilerHostGetConfigImageSize(&get_size), reason))
        return NULL;
    *size = get_size.configImageSize;
    uint8_t *config = malloc(*size);
    CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, get, .pHostObject = host,
                 .configImageSize = *size, .pConfigImage = config);
    CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, get_passes, .configImageSize = *size,
                 .pConfigImage = config);
    if (!config) snprintf(reason, REASON_BYTES, "out of memory");
    if (!config || !CUPTI_OK(cupti, cuptiProfilerHostGetConfigImage(&get), reason) ||
        !CUPTI_OK(cupti, cuptiProfilerHostGetNumOfPasses(&get_passes), reason)) {
        free(config);
        return NULL;
    }
    *passes = (int)get_passes.numOfPasses;
    return config;
}
