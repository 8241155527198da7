#include "cupti/functions.h"

#include <stdio.h>
#include <string.h>

/* Advice for failures that users meet. */
static const struct {
    int status;
    const char *advice;
} advice[] = {
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
     "only administrators may read counters here: run as root, or have root set "
     "NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module"},
    {CUPTI_ERROR_HARDWARE_BUSY, "the counters are held by another program, for instance DCGM: "
                                "'dcgmi profile --pause' frees them"},
    {CUPTI_ERROR_OUT_OF_MEMORY, "CUPTI ran out of memory"},
};

int cupti_ok(const struct cupti *cupti, CUptiResult status, const char *call,
             char reason[REASON_BYTES])
{
    if (status == CUPTI_SUCCESS) return 1;
    const char *text = NULL;
    const int length = (int)strcspn(call, "(");
    if (status == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && cupti->holder) {
        snprintf(reason, REASON_BYTES, "%s", cupti->holder(cupti));
        return 0;
    }
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        if (advice[i].status == (int)status) text = advice[i].advice;
    if (!text && cupti->cuptiGetResultString) cupti->cuptiGetResultString(status, &text);
    snprintf(reason, REASON_BYTES, "%s (%.*s: error %d)", text ? text : "unknown error", length,
             call, (int)status);
    return 0;
}
