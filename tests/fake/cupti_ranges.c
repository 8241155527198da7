/*
 * Emulates CUPTI's range profiler with user ranges and user replay, and reports kernels that have
 * run to their listeners.
 *
 * Words of FAKE_STATE used here: dropped, ranges_wrong, endless_passes; those of refusal().
 */
#include <cupti_range_profiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti.h"

enum { MOST_RANGES = 256 };

struct CUpti_RangeProfiler_Object {
    size_t passes, done, count, most;
    int started, open;
    uint8_t *image;
    struct record record[MOST_RANGES];
};

static struct CUpti_RangeProfiler_Object *profiler;

static void listen(const struct fake_ran *ran)
{
    if (profiler && profiler->open && profiler->count < MOST_RANGES) {
        struct totals *totals = &profiler->record[profiler->count].totals;
        fake_cupti_add_cost(&totals->cost, &ran->cost, 1);
        totals->cycles += ran->cycles + 400;
        totals->cycles_active += 0.97 * ran->cycles;
        totals->ns += (double)(ran->end_ns - ran->begin_ns) + 300;
        totals->launches++;
    }
    fake_cupti_record_run(ran);
    fake_cupti_count_instructions(ran);
    fake_cupti_take_samples(ran);
    fake_cupti_record_activity(ran);
}

void fake_cupti_begin_listening(void)
{
    fake_synchronize();
    fake_listener = listen;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *params)
{
    const CUptiResult status = entered(__func__), refused = refusal();
    if (status || refused) return status ? status : refused;
    if (profiler) return CUPTI_ERROR_INVALID_OPERATION;
    profiler = calloc(1, sizeof *profiler);
    if (!profiler) return CUPTI_ERROR_OUT_OF_MEMORY;
    params->pRangeProfilerObject = profiler;
    fake_held("range profilers", 1);
    fake_cupti_begin_listening();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *params)
{
    if (params->pRangeProfilerObject != profiler)
        fake_misuse("another range profiler was disabled");
    free(profiler);
    profiler = NULL;
    fake_held("range profilers", -1);
    return entered(__func__);
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *params)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    profiler->passes = fake_cupti_passes(params->pConfig);
    profiler->done = profiler->count = 0;
    profiler->most = params->maxRangesPerPass;
    profiler->image = params->pCounterDataImage;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *params)
{
    const CUptiResult status = entered(__func__);
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
    params->isAllPassSubmitted =
        profiler->done >= profiler->passes && !fake_state("endless_passes");
    return status;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *params)
{
    const CUptiResult status = entered(__func__);
    if (status) return status;
    if (profiler->open || !profiler->started || profiler->count >= MOST_RANGES ||
        profiler->count >= profiler->most)
        return CUPTI_ERROR_INVALID_OPERATION;
    fake_synchronize();
    snprintf(profiler->record[profiler->count].name, NAME_BYTES, "%s", params->pRangeName);
    profiler->open = 1;
    fake_held("open ranges", 1);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *params)
{
    const CUptiResult status = entered(__func__);
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
    header_of(profiler->image)->count =
        profiler->count - (fake_state("ranges_wrong") && profiler->count ? 1 : 0);
    memcpy(records_of(profiler->image), profiler->record,
           profiler->count * sizeof *profiler->record);
    return CUPTI_SUCCESS;
}

ALWAYS(cuptiRangeProfilerGetCounterDataSize,
       (CUpti_RangeProfiler_GetCounterDataSize_Params * params),
       params->counterDataSize = HEADER_BYTES + params->maxNumOfRanges * sizeof(struct record))
UNLESS(cuptiRangeProfilerCounterDataImageInitialize,
       (CUpti_RangeProfiler_CounterDataImage_Initialize_Params * params),
       return fake_cupti_begin_image(params->pCounterData, params->counterDataSize))
ALWAYS(cuptiRangeProfilerGetCounterDataInfo,
       (CUpti_RangeProfiler_GetCounterDataInfo_Params * params),
       params->numTotalRanges = header_of(params->pCounterDataImage)->count)

CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *params)
{
    const CUptiResult status = entered(__func__),
                      found =
                          fake_cupti_check_image(params->pCounterDataImage,
                                                 params->counterDataImageSize, params->rangeIndex);
    if (status || found) return status ? status : found;
    params->rangeName = records_of(params->pCounterDataImage)[params->rangeIndex].name;
    return CUPTI_SUCCESS;
}
