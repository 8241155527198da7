/*
 * Can CUPTI be asked here? What it plans and decodes needs its library and no GPU. Nothing is
 * owned.
 */
#ifndef TESTS_UNIT_CUPTI_H
#define TESTS_UNIT_CUPTI_H

#include "collect/collector.h"
#include "fixture.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define UNDER_ADDRESS_SANITIZER
#endif

/* Why nothing can be planned or decoded here; "" when it can. */
static const char *cupti_missing(void)
{
#ifdef UNDER_ADDRESS_SANITIZER
    return "CUPTI opens a library with RTLD_DEEPBIND, which the address sanitizer does not allow";
#else
    static const char *metric[] = {"sm__cycles_active.avg"};
    int passes = 0;
    listen_to_stderr();
    const int result = counter_plan_passes(CUPTI_RANGES, "GH100", metric, 1, &passes);
    const char *said = heard();
    return result ? said : "";
#endif
}

#endif
