/*
 * Static facts of a launch: registers, shared memory, theoretical occupancy and what limits it.
 * Nothing is owned.
 */
#ifndef WHYFAST_LAUNCH_RESOURCES_H
#define WHYFAST_LAUNCH_RESOURCES_H

#include "gpu/workbench.h"

/* Writes one row of launches.csv for each kernel of the point, a library's too, and says how
 * many. Theoretical occupancy by NVIDIA's cuda_occupancy.h, which also says which resource is
 * the limit; where that differs from cudaOccupancyMaxActiveBlocksPerMultiprocessor of the
 * driver, the driver's number stands and the limiter stays empty, with a warning. */
int launch_resources_write(const struct workbench *bench, const struct variant *variant,
                           const struct point *point, struct csv_writer *writer, unsigned *kernels);

#endif
