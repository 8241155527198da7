/*
 * Does the work of both main functions: reads the command line, prints help, and turns the failure
 * of a command into an exit code.
 */
#ifndef WHYFAST_COMMAND_LINE_MAIN_H
#define WHYFAST_COMMAND_LINE_MAIN_H

#include "command_line/arguments.h"

/* Runs a command. Returns 0, a failure of base/message.h, or the exit status of another program. */
typedef int command_runner(struct arguments *arguments, const struct command *command);

/* Returns the exit code. */
int command_line_main(int count, char **words, command_runner *run);

#endif
