/*
 * Names what limits the occupancy of a launch, by NVIDIA's cuda_occupancy.h. Nothing is owned.
 */
#ifndef WHYFAST_OCCUPANCY_H
#define WHYFAST_OCCUPANCY_H

#include "gpu/device.h"

enum { OCCUPANCY_LIMITER = 96 };

/* Writes the limiting resources, separated by commas, into `limiter`, and returns it. It is empty,
 * with a warning, if the calculator does not find the driver's number of blocks per SM. Of the
 * kernel, facts about its resources are used. */
const char *occupancy_limiter(const struct device *device, const struct kernel_facts *facts,
                              int threads, size_t dynamic_shared, int blocks,
                              char limiter[OCCUPANCY_LIMITER]);

#endif
