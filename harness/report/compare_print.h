/*
 * Prints the comparison of two runs (explain/compare_runs.h), or the causes of the difference
 * between two variants (explain/explain_pair.h), as a table, CSV or JSON. Nothing is owned.
 */
#ifndef WHYFAST_COMPARE_PRINT_H
#define WHYFAST_COMPARE_PRINT_H

#include <stdio.h>

#include "base/terminal.h"
#include "explain/compare_runs.h"
#include "explain/explain_pair.h"

/* Prints a line or two for each point, the slowest first, and a summary as the last line. Unless
 * `all` is set, points without evidence and points of only one run are combined in one line. */
int compare_print(struct run_comparison *comparison, const struct terminal *screen, int all,
                  FILE *file);

/* Appends the summary, one sentence. */
void compare_append_summary(struct text *text, const struct run_comparison *comparison);

/* Prints the points as CSV, or one object of JSON: before, after (provenance), threshold_pct,
 * summary (number of points per verdict), rates (of two devices), points. */
int compare_print_data(struct run_comparison *comparison, enum print_form form, FILE *file);

/* `recorded` is 1 if the run is the recorded one; `all` is 1 to list the smallest causes one by
 * one.
 */
int explain_pair_print(struct explain_pair *pair, int recorded, int all);

/* Prints the causes one by one as CSV, or as JSON with both points, the change and what remains. */
int explain_pair_print_data(struct explain_pair *pair, enum print_form form);

/* Writes that JSON as a member of another object. */
int explain_pair_write(struct explain_pair *pair, struct json_writer *writer, const char *name);

#endif
