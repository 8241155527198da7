/*
 * Declares the commands that are not in commands.c, for the table there, and the parts from which
 * `report` and the commands that measure are built. A struct run that was begun or opened is the
 * caller's.
 */
#ifndef WHYFAST_COMMANDS_H
#define WHYFAST_COMMANDS_H

#include "cli.h"
#include "pipeline.h"

/* ---- commands.c ------------------------------------------------------------------------------ */

/* Returns `result`, or FAIL_INTERRUPTED after Ctrl-C. */
int unless_interrupted(int result);

/* Begins a run at `output`. NULL: in the place of the finished run `from`, and where a symbolic
 * link to that leads. */
int begin_result(struct run *run, const char *output, const struct run *from, int resume);

/* ---- gpu_commands.c -------------------------------------------------------------------------- */

/* Checks the selection of the command line without a note of what it leaves out, for a command that
 * selects later. */
int measuring_check(const struct arguments *arguments);

/* Begins a new run after everything that can be checked beforehand was checked. */
int measuring_begin(struct run *run, const struct arguments *arguments);

/* Times the selected points and, if `counters` is set, collects the counters that the options ask
 * for. */
int measuring_do(struct run *run, const struct arguments *arguments, int counters);

/* Prints for --dry-run what measuring_do would do. */
int measuring_plan(const struct arguments *arguments, int counters);

/* Adds counters to a run that was measured: a new run replaces it once they are complete. */
int measuring_collect(struct run *run, const struct run *from, const struct arguments *arguments);

/* Completes the run, prints its path followed by `suffix`, and closes it; explains how to continue
 * one that was interrupted. */
int measuring_finish(struct run *run, int result, const char *suffix);

/* Turns wrong results and impossible values, which were reported where they were found, into
 * FAIL_CHECK. */
int measuring_result(const struct run *run, int result);

int measure_command(const struct arguments *arguments);
int launch_command(const struct arguments *arguments);
int probe_command(const struct arguments *arguments);

/* ---- report_commands.c ----------------------------------------------------------------------- */

/* Opens the run at `path`, or the newest recorded one if that is NULL. */
int recorded_open(struct run *run, const char *path);

int report_command(const struct arguments *arguments);

/* Returns FAIL_CHECK if a point is slower or failed. */
int compare_command(const struct arguments *arguments);

/* Ranks the kernels of a run by the time that bank conflicts cost. */
int conflicts_command(const struct arguments *arguments);

int timeline_command(const struct arguments *arguments);

/* Runs the self-test, or judges an earlier one again. Returns FAIL_CHECK if a metric is wrong. */
int selftest_command(const struct arguments *arguments);

/* ---- explain_command.c ----------------------------------------------------------------------- */

int explain_command(const struct arguments *arguments);

/* ---- run_command.c --------------------------------------------------------------------------- */

/* Runs a program of the user. Returns its exit status, or a status of a failure of our own
 * (program/program_starts.h). */
int run_command(const struct arguments *arguments);

/* ---- fleet_commands.c ------------------------------------------------------------------------ */

int merge_command(const struct arguments *arguments);
int boards_command(const struct arguments *arguments);

/* Replaces operands that are merged runs by the runs of the devices that --device names, or by that
 * of the only device. Returns FAIL_USAGE, with a message that names the devices, if the command is
 * about one device and none is chosen. */
int fleet_choose(struct arguments *arguments, const struct command *command);

/* Writes the page of a merged run again after a command, which ended with `result`, has replaced
 * the run of a device in it. Returns `result`, or a failure of its own. */
int fleet_renew_page(const struct arguments *arguments, int result);

/* Makes CUDA see only the device that --device names, if it is given. To be called before CUDA is
 * used. */
int fleet_use_device(const struct arguments *arguments);

/* Does the same for the board on which a chosen device of a merged run was measured. */
int fleet_use_board(const struct arguments *arguments);

/* Calls `work` with the run of each device of a merged run. Continues after FAIL_CHECK, and returns
 * it in the end; stops at any other failure. */
int fleet_each(const char *path, int (*work)(void *context, const char *device), void *context);

/* ---- list.c ---------------------------------------------------------------------------------- */

int list_command(const struct arguments *arguments);

/* Returns FAIL_USAGE for a --metric that does not exist, and names the nearest one. */
int list_check_metrics(const struct arguments *arguments);

/* Prints the metrics asked for by --metric of an evaluated run as CSV, one row per point. */
int list_metric_values(const struct run *run, const struct arguments *arguments);

#endif
