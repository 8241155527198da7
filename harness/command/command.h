/*
 * Declares the commands of whyfast for the table in main.c, and what they share. A struct run that
 * was begun or opened is the caller's.
 *
 * Runs pass through these stages; each reads only files of the run directory and writes more of
 * them. It borrows the struct run during the call and returns 0, or after a message a failure of
 * base/message.h.
 *
 *   evaluate    metrics, noise, kernel_counters, impossible
 *   explain     steps, verdicts, moved, ledger, sides, causes, ...
 *   plot        charts/<name>.svg, .png
 *   report      index.html and the other pages
 */
#ifndef WHYFAST_COMMAND_H
#define WHYFAST_COMMAND_H

#include <stdio.h>

#include "command_line/arguments.h"
#include "run/run.h"

/* Returns `result`, or FAIL_INTERRUPTED after Ctrl-C. */
int unless_interrupted(int result);

/* ---- recorded runs --------------------------------------------------------------------------- */

/* Sets *path to a recorded run, unpacked and evaluated, which the caller frees; that of a device if
 * one is named. Adds the other recorded runs to `others`, unless it is NULL. */
int recorded_path(char **path, const char *device, struct text *others);

/* Opens the run at `path`, or the newest recorded one if that is NULL. */
int recorded_open(struct run *run, const char *path);

/* Opens the runs that the first two operands name; a variant is none. */
int recorded_open_two(struct run *before, struct run *after, const struct arguments *arguments);

/* Replaces operands that name recorded runs, by name or by path, by unpacked copies. Returns
 * FAIL_INPUT if the command would change such a run, and FAIL_USAGE for a mistyped name. */
int recorded_operands(struct arguments *arguments, const struct command *command);

/* Returns 1 for an operand that recorded_operands has put in, or the path of such a copy. */
int recorded_is(const char *path);

/* ---- merged runs ----------------------------------------------------------------------------- */

/* Calls `work` with the run of each device of a merged run. Continues after FAIL_CHECK, and returns
 * it in the end; stops at any other failure. */
int merged_each(const char *path, int (*work)(void *context, const char *device), void *context);

/* Writes the page of a merged run again after a command, which ended with `result`, has replaced
 * the run of a device in it. Returns `result`, or a failure of its own. */
int merged_renew_page(const struct arguments *arguments, int result);

/* ---- reports of Nsight Compute --------------------------------------------------------------- */

/* Replaces operands that are such reports by runs made of them, which vanish with the program.
 * Returns FAIL_USAGE if the command would change the run. */
int imported_operands(struct arguments *arguments, const struct command *command);

/* ---- commands: each returns 0 or a failure --------------------------------------------------- */

int boards_command(const struct arguments *arguments);
int collect_command(const struct arguments *arguments);
int compare_command(const struct arguments *arguments);
int conflicts_command(const struct arguments *arguments);
int diff_command(const struct arguments *arguments);
int evaluate_command(const struct arguments *arguments);
int explain_command(const struct arguments *arguments);
int import_command(const struct arguments *arguments);
int lines_command(const struct arguments *arguments);
int list_recorded(const struct arguments *arguments);
int mcp_command(const struct arguments *arguments);
int merge_command(const struct arguments *arguments);
int open_command(const struct arguments *arguments);
int plot_command(const struct arguments *arguments);
int report_command(const struct arguments *arguments);
int knockout_command(const struct arguments *arguments);
int sections_command(const struct arguments *arguments);
int selftest_command(const struct arguments *arguments);
int timeline_command(const struct arguments *arguments);
int verify_command(const struct arguments *arguments);

/* Prints the costs that a run has knocked out as a table. */
int knockouts_print(struct run *run, enum print_form form, FILE *to);

/* Returns the exit status of the program that it has run, or STATUS_FAILED and so on. */
int run_command(const struct arguments *arguments);

#endif
