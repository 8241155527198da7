/*
 * Tests whether devices can be measured together: measures the top rungs on each device alone, then
 * on all devices, and compares the times (the method is in fleet/measure_devices.h). Nothing is
 * owned.
 */
#ifndef WHYFAST_DEVICES_TRIAL_H
#define WHYFAST_DEVICES_TRIAL_H

#include "fleet/device_processes.h"

/* Takes the verdict of an earlier invocation, or makes one and keeps it beside the runs. Its first
 * line begins with "yes" or "no"; a line for each device follows, with the times of its rungs
 * together, divided by those alone. Returns 0 with either verdict, or a failure. */
int devices_trial_decide(struct device_processes *devices, struct text *verdict);

#endif
