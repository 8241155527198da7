/*
 * The command `compare` and what it prints: a table for people, CSV, JSON. Nothing is owned.
 */
#ifndef WHYFAST_COMPARE_VIEW_H
#define WHYFAST_COMPARE_VIEW_H

#include <stdio.h>

#include "cli.h"
#include "compare.h"
#include "screen.h"

/* The command `compare`: FAIL_CHECK when a point is slower or failed. */
int compare_run(const struct arguments *arguments);

/* A line or two for each point, the slowest first, and a summary as the last line. Points
 * without evidence, and those of one run alone, are one line together unless `all`. */
int compare_print(struct run_comparison *comparison, const struct screen *screen, int all,
                  FILE *file);

int compare_print_csv(struct run_comparison *comparison, FILE *file);

/* One object: before, after (provenance), threshold_pct, summary (how many points of each
 * verdict), points. */
int compare_print_json(struct run_comparison *comparison, FILE *file);

#endif
