/*
 * Finds the devices of merged runs that the command line names.
 */
#ifndef WHYFAST_MERGED_OPERANDS_H
#define WHYFAST_MERGED_OPERANDS_H

#include "command_line/arguments.h"

/* Replaces operands that are merged runs by the runs of the devices that --device names, or by that
 * of the only device; arguments->chosen owns their paths. Returns FAIL_USAGE, with a message that
 * names the devices, if the command is about one device and none is chosen. */
int merged_operands(struct arguments *arguments, const struct command *command);

#endif
