/*
 * Computes the columns of m from the formulas of metrics, in the order in which they need each
 * other: as many at once as possible, and judges them (evaluate/metric_checks.h) in between.
 * Nothing is owned.
 */
#ifndef WHYFAST_METRIC_FORMULAS_H
#define WHYFAST_METRIC_FORMULAS_H

#include "catalog/records.h"
#include "evaluate/metric_table.h"

/* Adds a column for every metric among the records. Returns FAIL_INPUT, with file and line, for a
 * formula that cannot be computed or needs itself. */
int metric_formulas_compute(struct metric_table *rows, const struct records *records);

#endif
