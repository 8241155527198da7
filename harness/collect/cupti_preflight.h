/*
 * Tells where CUPTI is, which version it has and which of its uses the device supports. Nothing is
 * owned.
 */
#ifndef WHYFAST_CUPTI_PREFLIGHT_H
#define WHYFAST_CUPTI_PREFLIGHT_H

#include "collect/collector.h"

struct cupti_location {
    char path[256];         /* "" if the loader does not tell */
    int version, built_for; /* of the API: the library's, and that of the headers of this build */
    char missing[64];       /* a library that CUPTI needs and that cannot be loaded, or "" */
};

/* Needs no GPU. Returns FAIL_GPU with the reason if CUPTI cannot be loaded. */
int cupti_find(struct cupti_location *location, char reason[REASON_BYTES]);

/* Writes the uses that this device does not support, each with its reason, or "". */
void cupti_unsupported(struct cupti *cupti, char reason[REASON_BYTES]);

#endif
