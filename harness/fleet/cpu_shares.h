/*
 * Divides the processors of a host between the devices that are measured at the same time, so that
 * the host threads of one do not move to those of another. Nothing is owned.
 */
#ifndef WHYFAST_CPU_SHARES_H
#define WHYFAST_CPU_SHARES_H

#include <sched.h>

#include "gpu/device_choice.h"

/* Devices with the same near processors share them evenly, in order. Returns 1, or 0 if one would
 * get none. */
int cpu_shares_split(cpu_set_t *share, const cpu_set_t *near, int count);

/* Divides the processors on which this process may run: a device gets those near to it, if NVML
 * knows them. Returns 1, or 0 if there are fewer processors than devices. */
int cpu_shares_make(cpu_set_t *share, const struct device_choice *choice);

/* Writes the processors of a set as "0-3,8" into the buffer and returns it. */
char *cpu_shares_text(const cpu_set_t *set, char *buffer, int size);

#endif
