/*
 * What CUPTI says of itself and of the device, and whether it would count: for those that only want
 * to know. Nothing is owned.
 */
#ifndef WHYFAST_CUPTI_PREFLIGHT_H
#define WHYFAST_CUPTI_PREFLIGHT_H

#include "collect/collector.h"

/* Where the library is and which version it has; needs no GPU. 0, or FAIL_GPU with the reason. */
struct cupti_place {
    char path[256];         /* "" when the loader does not tell */
    int version, built_for; /* of the API: the library's, and that of the headers of this build */
    char missing[64]; /* the library of its own that is neither beside it nor known to the loader;
                         "" */
};
int cupti_find(struct cupti_place *place, char reason[REASON_BYTES]);

/* The uses that this device does not support, with why, one after the other into reason; "" when
 * it supports all. Wants cupti_open's cupti. */
void cupti_unsupported(struct cupti *cupti, char reason[REASON_BYTES]);

#endif
