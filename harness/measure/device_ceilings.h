/*
 * Measures the most that the device can do: bandwidths, arithmetic and launches, verified and timed
 * as the points are. Writes ceilings; a ceiling that cannot be measured is absent, with the reason.
 * Nothing is owned.
 */
#ifndef WHYFAST_DEVICE_CEILINGS_H
#define WHYFAST_DEVICE_CEILINGS_H

#include "measure/measure_run.h"

int ceilings_run(struct run *run, const struct measure_options *options);

#endif
