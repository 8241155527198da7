/*
 * Plans counters for a chip with CUPTI's host functions, which need no GPU: the image that
 * configures a range profiler, or a sampler over time. The caller owns what is returned.
 */
#ifndef WHYFAST_COUNTER_CONFIG_H
#define WHYFAST_COUNTER_CONFIG_H

#include "cupti/functions.h"

/* Creates a host object for a chip. Returns NULL with the reason on failure. */
CUpti_Profiler_Host_Object *cupti_host_open(const struct cupti *cupti, const char *chip,
                                            CUpti_ProfilerType type, char reason[REASON_BYTES]);
void cupti_host_close(const struct cupti *cupti, CUpti_Profiler_Host_Object *host);

/* Adds all metrics in one call and returns the configuration image, which the caller frees, and its
 * passes; NULL with the reason on failure. */
uint8_t *cupti_config_make(const struct cupti *cupti, CUpti_Profiler_Host_Object *host,
                           const char **metric, size_t count, size_t *size, int *passes,
                           char reason[REASON_BYTES]);

#endif
