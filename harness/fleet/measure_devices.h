/*
 * Measures several devices of this machine, each by a process of its own, and merges their runs.
 * Nothing is owned.
 *
 * First a trial: the top rung of each family is measured on each device alone, then on all devices
 * together. A rung counts as slower if it is slower than its interval and the noise floor allow
 * (explain/compare_runs.h), and by more than half a per cent. A device with a slower rung is
 * measured alone a second time. If it has a slower rung then, too, the devices disturb each other
 * and are measured one after the other; otherwise all are measured together, each by a
 * process on processors of its own (fleet/cpu_shares.h). Which of the two was done, and why, is the
 * fact measured_together of each run; trial_ratios has the times together, divided by those alone,
 * with their 95 % intervals.
 *
 * The runs are made in <output>.parts, which is removed once they are merged. What an interrupted
 * process leaves there is continued with --resume.
 */
#ifndef WHYFAST_MEASURE_DEVICES_H
#define WHYFAST_MEASURE_DEVICES_H

#include "fleet/device_processes.h"

/* Writes the merged run at options->output. Returns FAIL_CHECK if a device gave wrong results,
 * whose run is merged all the same; another failure if a device could not be measured, in which
 * case nothing is merged and the finished runs are kept. */
int measure_devices(const struct measure_devices_options *options);

/* Runs the words on one device after the other and copies what they print to stdout. Runs all
 * devices even if one fails, and returns the first failure. */
int measure_devices_in_turn(const struct measure_devices_options *options);

#endif
