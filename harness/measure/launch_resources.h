/*
 * Writes the static facts of launches: registers, shared memory, theoretical occupancy and its
 * limiter. Nothing is owned.
 */
#ifndef WHYFAST_LAUNCH_RESOURCES_H
#define WHYFAST_LAUNCH_RESOURCES_H

#include "gpu/workbench.h"

/* Writes one row of launches.csv for each kernel of the point, a library's too, and counts them.
 * Occupancy and its limiter are those of NVIDIA's cuda_occupancy.h; if the driver's number of
 * blocks differs, the driver's stands and the limiter stays empty, with a warning. */
int launch_resources_write(const struct workbench *bench, const struct selected *selected,
                           struct csv_writer *writer, unsigned *kernels);

#endif
