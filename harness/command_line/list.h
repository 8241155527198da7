/*
 * Lists and describes families, variants and metrics. Without whyfast-gpu there are no variants.
 */
#ifndef WHYFAST_LIST_H
#define WHYFAST_LIST_H

#include "command_line/arguments.h"

int list_command(const struct arguments *arguments);

#endif
