/*
 * merge: makes one run of many. The result is a merged run (run/merged_run.h) with an ordinary run
 * for each device. Runs of one device, such as the parts of a long measurement, become one of them
 * (fleet/merge_rows.h); the run of a device that has no other keeps its computed tables, too.
 *
 * Runs that contradict each other are refused, and nothing is written then. Nothing is owned.
 */
#ifndef WHYFAST_MERGE_RUNS_H
#define WHYFAST_MERGE_RUNS_H

struct merge_options {
    const char *const *path; /* runs, merged or not, and interrupted ones, RUN.part */
    int count;
    const char *output;
    int no_serials; /* 1: without UUIDs and names of hosts */
};

/* Writes the merged run at options->output, at which there must be nothing. Returns FAIL_INPUT,
 * with the file and the row that say why, for runs that do not fit together. */
int merge_runs(const struct merge_options *options);

#endif
