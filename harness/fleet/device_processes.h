/*
 * Runs commands of this program on the devices of a machine, a process for each device, and keeps
 * their runs apart. A struct device_processes owns its processes and its text until
 * device_processes_close; the options are the caller's.
 */
#ifndef WHYFAST_DEVICE_PROCESSES_H
#define WHYFAST_DEVICE_PROCESSES_H

#include <sched.h>

#include "base/process.h"
#include "base/text.h"
#include "gpu/device_choice.h"

struct measure_devices_options {
    const struct device_choice *choice;
    const char *const *words; /* the command and its operands and options, without the device, the
                                 output and --resume */
    int count;
    const char *const *trial; /* the same for the trial */
    int trial_count;
    const char *output;
    int resume;
};

struct device_processes {
    const struct measure_devices_options *options;
    const struct device_choice *choice;
    char program[PROCESS_SELF]; /* the path of this program */
    int self;                   /* an open descriptor of it */
    char *directory;            /* of the runs of the devices */
    cpu_set_t *share, all;      /* processors of each device, and those of this process */
    int is_pinned;              /* 1: each process runs on the processors of its device */
    struct process *process;
    char **argument; /* of the process that is started, up to NULL */
};

/* Finds the processors of each device. device_processes_close must be called after a failure,
 * too. */
int device_processes_open(struct device_processes *devices,
                          const struct measure_devices_options *options);
void device_processes_close(struct device_processes *devices);

/* The path of a device's run whose name begins with `kind`, such as "alone-". */
struct path device_run_path(const struct device_processes *devices, const char *kind, int device);

/* Starts a process that runs the words on the device and writes a run at `output`, if it is not
 * NULL; an interrupted run there is continued. */
int device_process_start(struct device_processes *devices, int device, const char *const *words,
                         int count, const char *output);

/* Waits for all processes that run. Returns the failure that matters most. */
int device_processes_finish(struct device_processes *devices);

/* If the process of a device failed, prints what it said last and returns its failure, else 0. */
int device_process_judge(const struct device_processes *devices, int device);

/* Makes the run `kind` of each device that has none yet: of all devices together, or of one after
 * the other. */
int device_processes_measure_all(struct device_processes *devices, const char *kind,
                                 const char *const *words, int count, int together);

/* The failure that matters more; FAIL_CHECK, of a wrong result, matters least. */
int device_worse(int a, int b);

#endif
