/*
 * What `list` and `evaluate --metric` print. Nothing is owned.
 */
#ifndef WHYFAST_LIST_H
#define WHYFAST_LIST_H

#include "catalog/registry.h"
#include "cli.h"
#include "run/run.h"

/* The command `list`. */
int list_run(const struct arguments *arguments);

/* FAIL_USAGE for a --metric that does not exist, with the nearest that does. */
int list_check_metrics(const struct arguments *arguments);

/* Prints the metrics asked for by --metric of an evaluated run as CSV, one row per point. */
int list_metric_values(const struct run *run, const struct arguments *arguments);

#endif
