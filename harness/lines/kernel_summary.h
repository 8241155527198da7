/*
 * Summarises a kernel for `whyfast lines`, and compares two. Nothing is owned.
 */
#ifndef WHYFAST_KERNEL_SUMMARY_H
#define WHYFAST_KERNEL_SUMMARY_H

#include "base/terminal.h"
#include "base/text.h"
#include "query/query.h"

/* Appends the name of a kernel, its counts and samples, and the cost of its bank conflicts. Both
 * need the views of lines/lines_tables.h. */
int kernel_summary_append(struct text *page, struct query *query, const char *kernel,
                          const struct terminal *screen);

/* Appends the numbers and stall reasons of two kernels side by side. */
int kernel_summary_append_differences(struct text *page, struct query *query,
                                      const char *const kernels[2], const struct terminal *screen);

#endif
