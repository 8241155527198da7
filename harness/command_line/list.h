/*
 * Lists and describes families, variants and metrics. Without whyfast-gpu there are no
 * variants; command/list_recorded.c lists those of a recorded run.
 */
#ifndef WHYFAST_LIST_H
#define WHYFAST_LIST_H

#include "base/print_table.h"
#include "command_line/arguments.h"

int list_command(const struct arguments *arguments);

/* A command line asks for one of these lists. */
enum list_kind { LIST_ALL_VARIANTS, LIST_METRICS, LIST_NAMES };
enum list_kind list_asks(const struct arguments *arguments);

/* The columns of a list of variants. */
enum { LIST_COLUMNS = 7 };
extern const struct print_column list_columns[LIST_COLUMNS];

#endif
