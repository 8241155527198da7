/*
 * Measures several devices of this machine, each by a process of its own, and merges their runs.
 * Nothing is owned.
 *
 * First a trial: the top rung of each family is measured on each device alone, then on all devices
 * at once. If no rung is slower then than its interval and the noise floor allow (explain/
 * compare_runs.h), and by more than half a per cent of drift, the devices do not disturb each
 * other, and all are measured at once, each by threads on processors of its own
 * (fleet/cpu_shares.h); otherwise one after the other. A device with a slower rung is measured
 * alone again first: it must be slower than before and after. Which of both was done, and why, is
 * the fact measured_together of each run; trial_ratios has the times together, in units of those
 * alone, with their 95 % intervals.
 *
 * The runs are made in <output>.parts, which is removed after they were merged. What an interrupted
 * process leaves there is continued with --resume.
 */
#ifndef WHYFAST_MEASURE_DEVICES_H
#define WHYFAST_MEASURE_DEVICES_H

#include "fleet/device_processes.h"

/* Writes the merged run at options->output. Returns FAIL_CHECK if a device gave wrong results,
 * whose run is merged all the same; another failure if a device could not be measured, in which
 * case nothing is merged and the finished runs are kept. */
int measure_devices(const struct measure_devices_options *options);

/* Runs the words on one device after the other and copies what they print to stdout. Returns the
 * first failure after all of them. */
int measure_devices_in_turn(const struct measure_devices_options *options);

#endif
