/*
 * Plans and evaluates counters with CUPTI's library, which needs no GPU for that. Nothing is owned.
 */
#ifndef TESTS_UNIT_HOST_CUPTI_H
#define TESTS_UNIT_HOST_CUPTI_H

#include "collect/cupti.h"
#include "fixture.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define UNDER_ADDRESS_SANITIZER
#endif

/* A host object for a chip, with its CUPTI. */
struct host {
    struct cupti *cupti;
    CUpti_Profiler_Host_Object *object; /* NULL: `reason` says why */
    char reason[REASON_BYTES];
};

static inline struct host host_open(CUpti_ProfilerType type, const char *chip)
{
    struct host host = {0};
    host.cupti = cupti_load(host.reason);
    if (host.cupti) host.object = cupti_host_open(host.cupti, chip, type, host.reason);
    return host;
}

static inline void host_close(struct host *host)
{
    cupti_host_close(host->cupti, host->object);
    cupti_close(host->cupti);
}

static inline int counter_known(const char *chip, const char *metric)
{
    struct host host = host_open(CUPTI_PROFILER_TYPE_RANGE_PROFILER, chip);
    const int known =
        host.object && cupti_metric_known(host.cupti, host.object, metric, host.reason) > 0;
    host_close(&host);
    return known;
}

/* Returns the number of passes that the metrics need on a chip; 0, with the reason, if they cannot
 * be planned. */
static inline int counter_passes(CUpti_ProfilerType type, const char *chip, const char **metric,
                                 size_t count, char reason[REASON_BYTES])
{
    struct host host = host_open(type, chip);
    size_t size;
    int passes = 0;
    uint8_t *config = host.object ? cupti_config_make(host.cupti, host.object, metric, count, &size,
                                                      &passes, host.reason)
                                  : NULL;
    snprintf(reason, REASON_BYTES, "%s", host.reason);
    if (!config) passes = 0;
    free(config);
    host_close(&host);
    return passes;
}

/* Returns why nothing can be planned or decoded here, or "". */
static inline const char *cupti_missing(void)
{
#ifdef UNDER_ADDRESS_SANITIZER
    return "CUPTI opens a library with RTLD_DEEPBIND, which the address sanitizer does not allow";
#else
    static const char *metric[] = {"sm__cycles_active.avg"};
    static char reason[REASON_BYTES];
    return counter_passes(CUPTI_PROFILER_TYPE_RANGE_PROFILER, "GH100", metric, 1, reason) ? ""
                                                                                          : reason;
#endif
}

#endif
