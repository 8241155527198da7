/*
 * A library for CUDA_INJECTION64_PATH that has CUPTI record kernels as the library of whyfast does,
 * and keeps nothing: its memory is CUPTI's own. With SAMPLES=BYTES CUPTI samples stalls, too, with
 * a hardware buffer of this size; 0 leaves CUPTI its default. BUFFER_IS_FULL is said on stderr.
 */
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFER_BYTES = 1 << 20, PCS = 4096, PERIOD = 12 };

static CUpti_PCSamplingData sampled;
static CUcontext sampled_context;

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most_records)
{
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *most_records = 0;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t valid)
{
    (void)context, (void)stream, (void)size, (void)valid;
    free(buffer);
}

/* Gives CUPTI a buffer with room for the samples of some instructions. */
static int make_buffer(CUcontext context)
{
    size_t reasons = 0;
    CUpti_PCSamplingGetNumStallReasonsParams ask = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
        .ctx = context,
        .numStallReasons = &reasons};
    if (cuptiPCSamplingGetNumStallReasons(&ask) != CUPTI_SUCCESS) return 0;
    CUpti_PCSamplingPCData *pc = calloc(PCS, sizeof *pc);
    CUpti_PCSamplingStallReason *reason = calloc(PCS * reasons, sizeof *reason);
    if (!pc || !reason) return 0;
    for (size_t i = 0; i < PCS; i++) {
        pc[i].size = sizeof *pc;
        pc[i].stallReason = reason + i * reasons;
    }
    sampled = (CUpti_PCSamplingData){.size = sizeof sampled, .collectNumPcs = PCS, .pPcData = pc};
    return 1;
}

static int sample(CUcontext context, size_t bytes)
{
    CUpti_PCSamplingEnableParams enable = {.size = CUpti_PCSamplingEnableParamsSize,
                                           .ctx = context};
    CUpti_PCSamplingConfigurationInfo attribute[] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
         .attributeData.collectionModeData.collectionMode =
             CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
         .attributeData.samplingPeriodData.samplingPeriod = PERIOD},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
         .attributeData.samplingDataBufferData.samplingDataBuffer = &sampled},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE,
         .attributeData.hardwareBufferSizeData.hardwareBufferSize = bytes}};
    CUpti_PCSamplingConfigurationInfoParams params = {
        .size = CUpti_PCSamplingConfigurationInfoParamsSize,
        .ctx = context,
        .numAttributes = bytes ? 4 : 3,
        .pPCSamplingConfigurationInfo = attribute};
    sampled_context = context;
    return cuptiPCSamplingEnable(&enable) == CUPTI_SUCCESS && make_buffer(context) &&
           cuptiPCSamplingSetConfigurationAttribute(&params) == CUPTI_SUCCESS;
}

/* At the end CUPTI hands over what it has. */
static void end_sampling(void)
{
    CUpti_PCSamplingDisableParams disable = {.size = CUpti_PCSamplingDisableParamsSize,
                                             .ctx = sampled_context};
    const CUptiResult status = cuptiPCSamplingDisable(&disable);
    fprintf(stderr, "samples: status %d, %llu in %zu instructions, %llu dropped%s\n", (int)status,
            (unsigned long long)sampled.totalSamples, sampled.totalNumPcs,
            (unsigned long long)sampled.droppedSamples,
            sampled.hardwareBufferFull ? ", BUFFER_IS_FULL" : "");
}

static void CUPTIAPI called(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void *info)
{
    const CUpti_ResourceData *resource = info;
    (void)data;
    if (domain == CUPTI_CB_DOMAIN_SYNCHRONIZE) cuptiActivityFlushAll(0);
    if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_CONTEXT_CREATED) return;
    if (!getenv("SAMPLES")) return;
    if (sample(resource->context, strtoull(getenv("SAMPLES"), NULL, 10)))
        atexit(end_sampling);
    else
        fputs("cupti_alone: sampling cannot be started\n", stderr);
}

__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    static CUpti_SubscriberHandle subscriber;
    cuptiSubscribe(&subscriber, called, NULL);
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
    cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_SYNCHRONIZE);
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                        CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
    cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    return 1;
}
