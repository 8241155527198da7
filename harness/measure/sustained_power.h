/*
 * Measures the power of points that run back to back, and the SM clock that the board holds under
 * that load; table power. A struct power_meter owns NVML until power_meter_close.
 *
 * Method: clean timing leaves pauses between the samples, in which the board cools down. So each
 * point runs again without pauses, for SUSTAINED_MS, in batches of about BATCH_MS between two
 * stamps of the SM clock. The board counts its energy in steps of some milliseconds: the power is
 * the energy between the first and the last step, over the time between them. What comes before
 * SETTLED_MS is left out, except for the reasons of the clock: the load rises and the board reacts.
 * Nothing is flushed, so the L2 cache is warm.
 */
#ifndef WHYFAST_SUSTAINED_POWER_H
#define WHYFAST_SUSTAINED_POWER_H

#include "base/csv.h"
#include "driver/nvml.h"
#include "gpu/workbench.h"

enum { SUSTAINED_MS = 1000, SETTLED_MS = 200, BATCH_MS = 25 };

struct power_meter {
    struct nvml nvml;
    void *board;                   /* NULL: it cannot be asked */
    char reason[NVML_REASON + 16]; /* why a point has no power, if it has none */
    double limit_w;                /* NAN if it is unknown */
};

void power_meter_open(struct power_meter *meter, const struct device *device);
void power_meter_close(struct power_meter *meter);

/* Runs the point for SUSTAINED_MS and writes a row of table power. Returns 0, FAIL_GPU or
 * FAIL_INTERRUPTED. */
int sustained_power_write(struct power_meter *meter, struct workbench *bench,
                          const struct selected *selected, struct csv_writer *writer);

#endif
