/*
 * Takes the counts and samples of single instructions from a launch of a report. Nothing is owned.
 */
#ifndef WHYFAST_REPORT_LINES_H
#define WHYFAST_REPORT_LINES_H

#include "machine_code/probe_results.h"
#include "ncu_report/report_map.h"

/* Adds them to a kernel, unless it has some or the launch has none; then its statuses say why.
 * Returns FAIL_INPUT if no GPU has so many reasons of stalls, or FAIL_OUTPUT if memory is short,
 * with a message. */
int report_lines_take(const struct records *records, const struct report_result *result,
                      struct probe_result *kernel);

#endif
