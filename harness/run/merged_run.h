/*
 * Reads merged runs. A merged run is a directory whose run.txt has the fact merged_devices. It has
 * an ordinary run for each device, devices/<number>, and the table devices.csv about all of them
 * (fleet/merge_runs.h writes it). A struct merged_run owns its strings until merged_run_close.
 */
#ifndef WHYFAST_MERGED_RUN_H
#define WHYFAST_MERGED_RUN_H

#include "run/run.h"

struct merged_run {
    struct run run; /* its facts, and the table of devices */
    int count;
    struct merged_device {
        char *label, *name, *uuid; /* as devices.csv has them */
    } * device;
};

int merged_run_is_at(const char *path);

/* Opens a merged run. Returns FAIL_INPUT, with a message, if it is damaged or not a merged run; in
 * particular if a directory of a device is missing or a symbolic link. */
int merged_run_open(struct merged_run *merged, const char *path);
void merged_run_close(struct merged_run *merged);

/* Finds a device by its number, its label, its UUID or the beginning of its UUID, with or without
 * "GPU-". Returns its number, or FAIL_USAGE with a message that names the devices. */
int merged_run_find(const struct merged_run *merged, const char *word);

struct path merged_run_device(const struct merged_run *merged, int device);

/* Appends the number, label and name of each device, at most eight of them. */
void merged_run_append_devices(struct text *text, const struct merged_run *merged);

#endif
