/*
 * Lists the series of samples of a point, which measure/measure_run.h takes. Nothing is owned.
 */
#ifndef WHYFAST_SERIES_PLAN_H
#define WHYFAST_SERIES_PLAN_H

#include "catalog/variant.h"

enum l2_state { L2_COLD, L2_WARM };
enum sample_kind { TIME_END_TO_END, TIME_KERNELS };

struct sample {
    int round;     /* in which it was taken */
    int throttled; /* it is set aside */
    double time_ns;
    double clock_mhz; /* NAN: unknown */
};

struct series_kind {
    enum l2_state l2;
    enum sample_kind kind;
    char copy; /* 'a', or 'b' for its twin in the A/A pair */
};

/* Returns a constant list. The median of the first series is the time of the point. */
const struct series_kind *series_plan(const struct variant *variant, const struct point *point,
                                      int *count);

#endif
