/*
 * A library for CUDA_INJECTION64_PATH that has CUPTI record kernels as the library of whyfast does,
 * and keeps nothing: its memory is CUPTI's own. With SAMPLES=1 CUPTI samples stalls, too.
 */
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <stdlib.h>
#include <time.h>

enum { BUFFER_BYTES = 1 << 20 };

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

static void CUPTIAPI called(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void *info)
{
    const CUpti_ResourceData *resource = info;
    (void)data;
    if (domain == CUPTI_CB_DOMAIN_SYNCHRONIZE) cuptiActivityFlushAll(0);
    if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED &&
        getenv("SAMPLES")) {
        CUpti_PCSamplingEnableParams enable = {.size = CUpti_PCSamplingEnableParamsSize,
                                               .ctx = resource->context};
        cuptiPCSamplingEnable(&enable);
    }
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
