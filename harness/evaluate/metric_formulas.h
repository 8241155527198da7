/*
 * Computes the columns of the view m from the formulas of metrics. Formulas whose inputs are ready
 * are computed together, and their values are checked (evaluate/metric_checks.h) before others use
 * them. Nothing is owned.
 */
#ifndef WHYFAST_METRIC_FORMULAS_H
#define WHYFAST_METRIC_FORMULAS_H

#include "catalog/records.h"
#include "evaluate/metric_table.h"

/* Adds a column for every metric among the records. Returns FAIL_INPUT, with file and line, for a
 * formula that cannot be computed or depends on itself. */
int metric_formulas_compute(struct metric_table *rows, const struct records *records);

#endif
